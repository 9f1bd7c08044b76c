import type { SourceReport, ToolResult } from '../../tools/tool.js';
import type { TurnRun } from '../turn-run.js';
import { code, plain } from './markdown.js';

/** The end of every answer: what is missing, whether it is invented, where it comes from. */
export function closing(run: TurnRun, result: ToolResult): readonly string[] {
  const { words } = run;
  const blocks = result.sources
    .filter(({ error }) => error !== undefined)
    .map((source) => {
      const text = plain(failureText(run, source), 500);
      return source.failure?.fault.kind === 'cut' ? `⚠ ${text}.` : words.missing(text);
    });
  for (const error of result.sources.flatMap(({ ailing = [] }) => ailing)) {
    blocks.push(words.memberDown(plain(words.failure(error.source, error.fault), 500)));
  }
  const live = result.sources.filter((source) => source.error === undefined);
  if (live.some((source) => source.demo === true)) blocks.push(words.demo);
  const named = new Set(live.map(({ name, type }) => `${plain(name)} (${type})`));
  const sources = [...named].join(', ');
  blocks.push(words.footer(sources, code(result.query, 500), run.at(result.time)));
  return blocks;
}

/**
 * The whole answer when no source could tell, else undefined.
 * @param what key of `words.what`
 */
export function unanswered(
  run: TurnRun,
  result: ToolResult,
  what: string,
): readonly string[] | undefined {
  const { words } = run;
  const name = words.what[what] ?? what;
  if (result.sources.length === 0) return [words.noSource(name)];
  if (result.sources.some((source) => source.error === undefined)) return undefined;
  // They did answer: what is wrong is the question.
  const isRefused = result.sources.every(({ failure }) => failure?.fault.kind === 'refused');
  if (isRefused) return [words.refused(lackOf(run, result))];
  return [words.noAnswer(name), ...failuresOf(run, result).map((failure) => `⚠ ${failure}.`)];
}

/** What did not answer, in one text; empty when everything did: only then may an answer say "none". */
export function lackOf(run: TurnRun, result: Pick<ToolResult, 'sources'>): string {
  return failuresOf(run, result).join('; ');
}

/** A lead that must not be read as the whole truth when something did not answer. */
export function partly(run: TurnRun, result: Pick<ToolResult, 'sources'>, lead: string): string {
  const lack = lackOf(run, result);
  return lack === '' ? lead : `${lead} ${run.words.partly(lack)}`;
}

/** The lead of a list; what did not answer is named where nothing was found, or not all. */
export function foundLead(
  run: TurnRun,
  result: Pick<ToolResult, 'sources'>,
  of: {
    /** Key of `words.what`. */
    readonly what: string;
    readonly total: number;
    readonly conditions: string;
    readonly lead: string;
  },
): string {
  const { what, total, conditions, lead } = of;
  const lack = lackOf(run, result);
  if (lack === '' || total > 0) return partly(run, result, lead);
  return run.words.noneSeen(run.words.what[what] ?? what, conditions, lack);
}

function failuresOf(run: TurnRun, result: Pick<ToolResult, 'sources'>): string[] {
  return result.sources
    .filter((source) => source.error !== undefined)
    .map((source) => plain(failureText(run, source), 500));
}

function failureText(run: TurnRun, source: SourceReport): string {
  if (source.failure === undefined) return source.error ?? '';
  return run.words.failure(source.failure.source, source.failure.fault);
}
