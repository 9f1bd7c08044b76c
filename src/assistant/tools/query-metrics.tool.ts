import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import type { LabelSet, MetricsSource, QueryResult, Source } from '../sources/source.types.js';
import { boundedTexts } from './alert-row.js';
import { type Page, pageOf, pagingShape } from './page.js';
import { defineReadTool, reportOf, ToolInputError, type ToolResult } from './tool.js';

export interface SeriesRow {
  readonly source: string;
  readonly labels: LabelSet;
  /** The newest sample; times RFC 3339, values as the source wrote them. */
  readonly value: string;
  readonly at: string;
  /** Of a range. */
  readonly range?: {
    readonly samples: number;
    readonly first: string;
    readonly min: string;
    readonly max: string;
  };
}

export interface QueryMetricsResult extends ToolResult, Page {
  readonly kind: QueryResult['kind'] | 'none';
  readonly series: readonly SeriesRow[];
  readonly warnings: readonly string[];
}

/** Prometheus refuses more than 11,000 points a series; this many tell a person the shape. */
const MOST_POINTS = 250;

export const queryMetrics = defineReadTool({
  name: 'query_metrics',
  description:
    'Evaluates a PromQL expression now, at a time, or over a range (first, last, smallest and largest value a series).',
  schema: z.strictObject({
    expr: z.string().min(1).max(4000),
    time: z.iso.datetime({ offset: true }).optional(),
    range: z
      .strictObject({
        start: z.iso.datetime({ offset: true }),
        end: z.iso.datetime({ offset: true }),
      })
      .optional(),
    source: z.string().max(200).optional().describe('Only of this source'),
    ...pagingShape(20),
  }),
  run: async (args, ctx, signal): Promise<QueryMetricsResult> => {
    const { expr, time, range, source } = args;
    const able = (candidate: Source): MetricsSource | undefined =>
      source === undefined || candidate.name === source ? candidate.metrics : undefined;
    const ask = questionOf(expr, time, range);
    const gathered = await ctx.reads.gatherFrom(able, ask, signal);
    const series = gathered.answers.flatMap(({ source: { name }, value }) =>
      orderOf(expr, value).flatMap((one) => rowOf(name, one, value.kind)),
    );
    const { rows, page } = pageOf(series, args);
    const when =
      range !== undefined
        ? ` from ${range.start} to ${range.end}`
        : time === undefined
          ? ''
          : ` at ${time}`;
    return {
      query: `${expr}${when}`,
      ...reportOf(gathered),
      kind: gathered.answers[0]?.value.kind ?? 'none',
      series: rows,
      ...page,
      warnings: gathered.answers
        .flatMap(({ value }) => value.warnings)
        .slice(0, 5)
        .map((warning) => cleanText(warning, 300)),
    };
  },
});

function questionOf(
  expr: string,
  time: string | undefined,
  range: { readonly start: string; readonly end: string } | undefined,
): (metrics: MetricsSource, signal: AbortSignal) => Promise<QueryResult> {
  if (range === undefined) {
    const at = time === undefined ? undefined : Date.parse(time);
    return (metrics, signal) => metrics.query(expr, at, signal);
  }
  const [start, end] = [Date.parse(range.start), Date.parse(range.end)];
  if (end <= start) throw new ToolInputError({ code: 'end_before_start', argument: 'range' });
  const stepSeconds = Math.max(1, Math.ceil((end - start) / 1000 / MOST_POINTS));
  return (metrics, signal) => metrics.queryRange(expr, { start, end, stepSeconds }, signal);
}

/** What puts its series into an order of its own. */
const ORDERED = /^\s*(?:sort(?:_desc|_by_label(?:_desc)?)?|topk|bottomk)\b/;

/** Prometheus gives the series of one moment in any order, another one with each call. */
function orderOf(expr: string, { kind, series }: QueryResult): QueryResult['series'] {
  if (kind === 'vector' && ORDERED.test(expr)) return series;
  return series
    .map((one) => ({ one, key: JSON.stringify(Object.entries(one.labels).sort()) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ one }) => one);
}

function rowOf(
  source: string,
  series: QueryResult['series'][number],
  kind: QueryResult['kind'],
): readonly SeriesRow[] {
  const first = series.samples[0];
  const last = series.samples.at(-1);
  if (first === undefined || last === undefined) return [];
  const row: SeriesRow = {
    source,
    labels: boundedTexts(series.labels, 200),
    value: cleanText(last.value, 300),
    at: new Date(last.at).toISOString(),
  };
  if (kind !== 'matrix') return [row];
  // The texts are compared as numbers but shown as they came.
  const byValue = [...series.samples]
    .filter(({ value }) => !Number.isNaN(numberOf(value)))
    .sort((a, b) => numberOf(a.value) - numberOf(b.value));
  const range = {
    samples: series.samples.length,
    first: first.value,
    min: byValue[0]?.value ?? 'NaN',
    max: byValue.at(-1)?.value ?? 'NaN',
  };
  return [{ ...row, range }];
}

function numberOf(value: string): number {
  if (value === '+Inf') return Infinity;
  return value === '-Inf' ? -Infinity : Number(value);
}
