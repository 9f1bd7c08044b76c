import type { JsonObject } from '../../domain/a2a.js';

/** What stands beside an agent's question, so that the answer finds its way back to that agent. */
export const QUESTION_KIND = 'nightjar.remote/1';

export function questionPlan(of: { readonly agent: string; readonly skill?: string }): JsonObject {
  const { agent, skill } = of;
  return { kind: QUESTION_KIND, agent, ...(skill === undefined ? {} : { skill }) };
}
