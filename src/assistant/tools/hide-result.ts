import type { JsonValue } from '../../domain/a2a.js';
import type { Redactor } from '../llm/redactor.js';
import type { ToolResult } from './tool.js';

/**
 * The result of a tool without secrets, as far as they can be known: what sources hold was written by
 * strangers. The reports of the sources are ours, and hold more than their JSON shows.
 */
export function hideResult<R extends ToolResult>(result: R, redactor: Redactor): R {
  const { sources, ...facts } = result;
  return { ...(redactor.hideIn(facts as unknown as JsonValue) as object), sources } as R;
}
