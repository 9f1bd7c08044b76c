import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import type { MetricsSource, Source } from '../sources/source.types.js';
import { type Page, pageOf, pagingShape } from './page.js';
import {
  defineReadTool,
  reportOf,
  ToolInputError,
  type ToolContext,
  type ToolResult,
} from './tool.js';

export interface SearchMetricsResult extends ToolResult, Page {
  readonly metrics: readonly { readonly name: string; readonly source: string }[];
}

export interface ListLabelsResult extends ToolResult, Page {
  /** Names of labels or, where a label was given, its values. */
  readonly values: readonly string[];
}

const HOUR = 3_600_000;
const paging = {
  hours: z
    .int()
    .min(1)
    .max(24 * 90)
    .default(24)
    .describe('Of series seen in the last so many hours'),
  source: z.string().max(200).optional().describe('Only of this source'),
  ...pagingShape(50, 200),
};
const WORD = /^[A-Za-z0-9_:]{1,100}$/;

export const searchMetrics = defineReadTool({
  name: 'search_metrics',
  description:
    'Names of metrics that contain words, of the sources that have metrics. Use it before a query when the name is not known.',
  schema: z.strictObject({
    words: z
      .array(z.string().regex(WORD))
      .max(5)
      .default([])
      .describe('All must be in the name; absent: all names'),
    ...paging,
  }),
  needs: ({ metrics }) => metrics !== undefined,
  run: async ({ words, ...given }, ctx, signal): Promise<SearchMetricsResult> => {
    // Each word is looked for at the source, in any order; the names are looked at once more here.
    const [first = ''] = [...words].sort((a, b) => b.length - a.length);
    const match = first === '' ? '{__name__!=""}' : `{__name__=~"(?i:.*${first}.*)"}`;
    const found = await valuesOf('__name__', match, given, ctx, signal);
    const names = found.answers.flatMap(({ source, value }) =>
      value.map((name) => ({ name, source: source.name })),
    );
    const fitting = names
      .filter(({ name }) => words.every((word) => name.toLowerCase().includes(word.toLowerCase())))
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
    const { rows, page } = pageOf(fitting, given);
    return {
      query: `metrics whose name contains ${words.length === 0 ? 'anything' : words.join(' and ')}`,
      ...reportOf(found),
      metrics: rows.map((one) => ({ ...one, name: cleanText(one.name, 300) })),
      ...page,
    };
  },
});

export const listLabels = defineReadTool({
  name: 'list_labels',
  description:
    'Names of the labels that a metric or a selector has or, with label, the values of that one, filtered by a text.',
  schema: z.strictObject({
    match: z
      .string()
      .min(1)
      .max(2000)
      .describe('A metric’s name or a selector, e.g. up{job="node"}'),
    label: z
      .string()
      .regex(/^[A-Za-z_]\w{0,199}$/)
      .optional(),
    text: z.string().max(200).optional().describe('Contained in the name or value'),
    ...paging,
  }),
  needs: ({ metrics }) => metrics !== undefined,
  run: async ({ match, label, text, ...given }, ctx, signal): Promise<ListLabelsResult> => {
    if (/[[\](]/.test(match.replace(/"(?:\\.|[^"\\])*"/g, ''))) {
      throw new ToolInputError({ code: 'no_selector' });
    }
    const found = await valuesOf(label, match, given, ctx, signal);
    const needle = text?.toLowerCase();
    const all = [...new Set(found.answers.flatMap(({ value }) => value))]
      .filter((value) => needle === undefined || value.toLowerCase().includes(needle))
      .sort();
    const { rows, page } = pageOf(all, given);
    return {
      query: `${label === undefined ? 'labels' : `values of ${label}`} of ${match}`,
      ...reportOf(found),
      values: rows.map((value) => cleanText(value, 300)),
      ...page,
    };
  },
});

/** From the source's own lists; where it has none (n9e), from the series that a query finds. */
function valuesOf(
  label: string | undefined,
  match: string,
  { hours, source }: { readonly hours: number; readonly source?: string | undefined },
  ctx: ToolContext,
  signal: AbortSignal,
) {
  const able = (candidate: Source): MetricsSource | undefined =>
    source === undefined || candidate.name === source ? candidate.metrics : undefined;
  const since = Date.now() - hours * HOUR;
  return ctx.reads.gatherFrom(
    able,
    async (metrics, abort): Promise<readonly string[]> => {
      if (metrics.labels !== undefined) return metrics.labels({ label, match, since }, abort);
      const expr = label === undefined ? match : `group by (${label}) (${match})`;
      const { series } = await metrics.query(expr, undefined, abort);
      return label === undefined
        ? [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))]
        : series.flatMap(({ labels }) => labels[label] ?? []);
    },
    signal,
  );
}
