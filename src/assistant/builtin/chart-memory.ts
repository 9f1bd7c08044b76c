import { z } from 'zod';
import type { PastTurn } from '../assistant-backend.js';
import { NAMED_METRICS } from './metrics/named-metrics.js';

const keys = NAMED_METRICS.map(({ key }) => key);

const schema = z.object({
  kind: z.literal('builtin-chart/1'),
  /** What people call it; absent: `expr` is the user's own. */
  metric: z.enum(keys).optional(),
  expr: z.string().max(4000).optional(),
  /** Whose values: as they were asked for, to be looked up anew among another metric's series. */
  words: z.array(z.string().max(200)).max(20),
  matchers: z
    .array(z.object({ label: z.string(), op: z.string(), value: z.string().max(500) }))
    .max(20),
  /** ms; it ends with the question, or at `end`. */
  span: z.number(),
  end: z.number().optional(),
});

/** What the builtin backend remembers of a chart: enough to draw it with one thing changed. */
export type ChartMemory = z.infer<typeof schema>;

/** The last thing that was shown, when it was a chart; undefined when it was anything else. */
export function readChartMemory(history: readonly PastTurn[]): ChartMemory | undefined {
  const newest = history.findLast(({ memory }) => memory !== undefined);
  const parsed = schema.safeParse(newest?.memory);
  return parsed.success ? parsed.data : undefined;
}
