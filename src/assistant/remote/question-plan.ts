import { z } from 'zod';
import type { JsonObject } from '../../domain/a2a.js';

const schema = z.strictObject({
  kind: z.literal('nightjar.remote/1'),
  agent: z.string(),
  skill: z.string().optional(),
});

/** Who has asked, and for which of its skills it was called. */
export interface AgentQuestion {
  readonly agent: string;
  readonly skill?: string | undefined;
}

/** What stands beside an agent's question, so that the answer finds its way back to that agent. */
export function questionPlan({ agent, skill }: AgentQuestion): JsonObject {
  return { kind: 'nightjar.remote/1', agent, ...(skill === undefined ? {} : { skill }) };
}

/** Undefined for anything else, such as what a later version puts there. */
export function readQuestion(plan: JsonObject | undefined): AgentQuestion | undefined {
  const parsed = schema.safeParse(plan);
  return parsed.success ? parsed.data : undefined;
}
