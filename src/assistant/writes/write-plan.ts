import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../domain/a2a.js';
import type { Silence } from '../sources/source.types.js';

export type SilenceMatcher = Silence['matchers'][number];

/** What makes a plan dangerous: it fits nearly everything or a great part of what fires, or it lasts over a day. */
export type Danger = 'broad' | 'long';

/** What the policy looks at. */
export interface PlanFacts {
  readonly matchers: readonly SilenceMatcher[];
  /** Milliseconds for which it holds; absent for what has no duration. */
  readonly lasts?: number;
  readonly dangers: readonly Danger[];
}

/** What a write tool would do, exactly. Nothing of it was done yet. */
export interface WritePlan {
  readonly tool: string;
  /** All that is needed to carry it out. */
  readonly args: JsonObject;
  /** One line in English, for operators, logs and the record of effects. */
  readonly summary: string;
}

/** A plan that somebody began to carry out. */
export type BegunWrite = Pick<WritePlan, 'tool' | 'args'>;

const json = z.json() as z.ZodType<JsonValue>;
const jsonObject = z.record(z.string(), json) as z.ZodType<JsonObject>;

const document = z.strictObject({
  kind: z.literal('nightjar.approval/1'),
  tool: z.string(),
  summary: z.string(),
  args: jsonObject,
  expires_at: z.iso.datetime(),
  hash: z.string(),
  code: z.string().optional(),
});

/** A plan as it stands beside its question, in the task's own document. */
export type PlanDocument = z.infer<typeof document>;

/** Whose plan it is: an approval is worth nothing anywhere else. */
export interface PlanOwner {
  readonly tenant: string;
  readonly user: string;
  readonly taskId: string;
}

/** @param exact the answer must name the beginning of the plan's hash. */
export function documentOf(
  { tool, args, summary }: WritePlan,
  owner: PlanOwner,
  expiresAt: number,
  exact: boolean,
): PlanDocument {
  const expires = new Date(expiresAt).toISOString();
  const hash = hashOf(tool, args, owner, expires);
  return {
    kind: 'nightjar.approval/1',
    tool,
    summary,
    args,
    expires_at: expires,
    hash,
    ...(exact ? { code: hash.slice(0, 6) } : {}),
  };
}

/**
 * A plan of ours whose hash is that of its content and owner. `unknown`: another version may have made
 * it, with fields that this one does not know. `forged`: it is not what was proposed here.
 */
export function readDocument(
  value: JsonObject | undefined,
  owner: PlanOwner,
): PlanDocument | 'unknown' | 'forged' {
  const parsed = document.safeParse(value);
  if (!parsed.success) return 'unknown';
  const { tool, args, expires_at: expires, hash, code } = parsed.data;
  const fits = hashOf(tool, args, owner, expires) === hash;
  return fits && (code === undefined || hash.startsWith(code)) ? parsed.data : 'forged';
}

function hashOf(tool: string, args: JsonObject, owner: PlanOwner, expires: string): string {
  const { tenant, user, taskId } = owner;
  const content = JSON.stringify([tenant, user, taskId, tool, sorted(args), expires]);
  return createHash('sha256').update(content).digest('hex');
}

/** The same for the same content, whatever the order of the fields. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => sorted(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
