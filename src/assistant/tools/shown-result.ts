import type { Redactor } from '../llm/redactor.js';
import { shownText } from '../shown-frames.js';
import { SourceError } from '../sources/source-error.js';
import type { SourceReport, ToolResult } from './tool.js';

/** The result without secrets and hidden characters, in names of labels too, and in the sources' own words. */
export function shownResult<R extends ToolResult>(result: R, redactor: Redactor): R {
  const { sources, ...rest } = result;
  const hide = (text: string): string => shownText(text, redactor);
  const shown = redactor.hideEvery(rest, hide) as object;
  return { ...result, ...shown, sources: sources.map((report) => reportWithout(report, hide)) };
}

function reportWithout(report: SourceReport, hide: (text: string) => string): SourceReport {
  const { error, members_down: down, failure, ailing } = report;
  const shown: SourceReport = {
    ...report,
    ...(error === undefined ? {} : { error: hide(error) }),
    ...(down === undefined ? {} : { members_down: down.map(hide) }),
  };
  // Not enumerable, as in the report: for a consumer that words them.
  if (failure !== undefined) {
    Object.defineProperty(shown, 'failure', { value: errorWithout(failure, hide) });
  }
  if (ailing !== undefined) {
    const value = ailing.map((one) => errorWithout(one, hide));
    Object.defineProperty(shown, 'ailing', { value });
  }
  return shown;
}

/** Only a refusal quotes the source. */
function errorWithout(error: SourceError, hide: (text: string) => string): SourceError {
  const { source, fault } = error;
  if (fault.kind !== 'refused') return error;
  return new SourceError(source, { kind: 'refused', text: hide(fault.text) });
}
