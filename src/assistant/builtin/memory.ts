import { z } from 'zod';
import type { JsonValue } from '../../domain/a2a.js';
import type { PastTurn } from '../assistant-backend.js';
import { ALERT_ORDERS } from '../tools/alert-selection.js';
import { clauseSchema } from '../tools/label-matcher.js';

const MOST_BYTES = 14 * 1024;

const schema = z.object({
  kind: z.literal('builtin/1'),
  /** The alerts as they were shown, so that `the second` means what the user saw. */
  listed: z
    .array(
      z.object({
        source: z.string(),
        fingerprint: z.string(),
        name: z.string(),
        labels: z.record(z.string(), z.string()).optional(),
      }),
    )
    .max(100),
  /** Place of the alert that was spoken of last, from 0. */
  focus: z.int().min(0).optional(),
  form: z.enum(['list', 'count', 'detail']),
  by: z.array(z.string()).max(2).optional(),
  where: z.array(clauseSchema).max(20),
  state: z.enum(['firing', 'active', 'suppressed', 'pending']).optional(),
  after: z.number().optional(),
  before: z.number().optional(),
  order: z.enum(ALERT_ORDERS).optional(),
  /** What was asked of the past; absent: it was about what fires now. */
  past: z.enum(['history', 'ended', 'fired']).optional(),
  /** How many alerts of the question were shown so far. */
  shown: z.int().min(0),
});

/** What the builtin backend remembers of a list of alerts. */
export type ListMemory = z.infer<typeof schema>;

/** The newest memory of ours in the history; anything else in it is skipped. */
export function readMemory(history: readonly PastTurn[]): ListMemory | undefined {
  for (const past of history.toReversed()) {
    const parsed = schema.safeParse(past.memory);
    if (parsed.success) return parsed.data;
  }
  return undefined;
}

/** As a frame takes it; labels are left out, then conditions, where it would be too big. */
export function memoryData(memory: ListMemory): JsonValue {
  const slim = memory.listed.map(({ source, fingerprint, name }) => ({
    source,
    fingerprint,
    name: name.slice(0, 100),
  }));
  const candidates = [memory, { ...memory, listed: slim }, { ...memory, listed: slim, where: [] }];
  const fitting = candidates.find(
    (candidate) => Buffer.byteLength(JSON.stringify(candidate)) <= MOST_BYTES,
  );
  return JSON.parse(JSON.stringify(fitting ?? { ...memory, listed: [], where: [] })) as JsonValue;
}
