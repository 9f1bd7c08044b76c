import { z } from 'zod';
import { CHART_UNITS, type ChartUnit, showValue, unitOf } from '../charts/chart-unit.js';
import { cleanText } from '../sources/clean-text.js';
import type { LabelSet, MetricsSource, Source } from '../sources/source.types.js';
import { boundedTexts } from './alert-row.js';
import { type ChartFiring, chartFirings } from './chart-firing.js';
import {
  commonLabels,
  figuresOf,
  type Grid,
  gridLine,
  type GridLine,
  type LineFigures,
  lineName,
} from './chart-lines.js';
import { withExtremes } from './chart-extremes.js';
import { handOut } from './chart-files.js';
import type { ChartResult, ChartRow } from './chart-result.js';
import { defineReadTool, reportOf, ToolInputError } from './tool.js';
import { iso } from './iso-time.js';

const HOUR = 3_600_000;
const LONGEST_DAYS = 90;
/** Points of a line: the picture has few more pixels for it. */
const POINTS = 240;
const MOST_ROWS = 20;
const MOST_FIRING = 20;
const MOST_STRETCHES = 20;

export const chart = defineReadTool({
  name: 'chart',
  description:
    'Draws a PromQL expression over a time range as a line chart that the user sees beside the answer (PNG and SVG), with the times at which related alerts fired; returns the figures of each line, of one value each step_seconds; min and max are of what `min_max` says (where that is `points`, what lies between them is not among them). Use it when the user wants to see how a value went.',
  schema: z.strictObject({
    expr: z.string().min(1).max(4000),
    start: z.iso.datetime({ offset: true }).optional().describe('Default: an hour before the end'),
    end: z.iso.datetime({ offset: true }).optional().describe('Default: now'),
    title: z.string().min(1).max(120).optional().describe('Default: the expression'),
    unit: z.enum(CHART_UNITS).optional().describe('Of the values; default: told from the names'),
    source: z.string().max(200).optional().describe('Only of this source'),
    limit: z.int().min(1).max(8).default(6).describe('Lines drawn, those with the highest values'),
  }),
  needs: ({ metrics }) => metrics !== undefined,
  run: async (args, ctx, signal): Promise<ChartResult> => {
    const { expr, source, limit } = args;
    const grid = gridOf(args, Date.now());
    const unit = args.unit ?? unitOf(expr);
    const able = (candidate: Source): MetricsSource | undefined =>
      source === undefined || candidate.name === source ? candidate.metrics : undefined;
    const gathered = await ctx.reads.gatherFrom(
      able,
      async (metrics, abort) => {
        const asked = performance.now();
        const answer = await metrics.queryRange(expr, grid, abort);
        return { ...answer, metrics, tookMs: performance.now() - asked };
      },
      signal,
    );
    const plain = gathered.answers.flatMap(({ source: { name }, value }) =>
      value.series.map((series) => gridLine(name, series, grid)),
    );
    const drawers = gathered.answers
      .filter(({ value }) => value.series.length > 0)
      .map(({ source: { name }, value: { metrics, tookMs, series } }) => {
        return { source: name, metrics, tookMs, series: series.length };
      });
    const { lines: found, extremes } = await withExtremes(expr, plain, grid, drawers, signal);
    const ranked = rank(found, grid);
    const drawn = ranked.slice(0, limit).map(({ line }) => line);
    const common = commonLabels(drawn);
    const firing = drawn.length === 0 ? [] : await chartFirings(expr, drawn, grid, ctx, signal);
    const rows = ranked.slice(0, MOST_ROWS).map((one) => rowOf(one, common, unit));
    const result: ChartResult = {
      query: `${expr} from ${iso(grid.start)} to ${iso(grid.end)}, step ${grid.stepSeconds} s`,
      ...reportOf(gathered),
      expr,
      unit,
      min_max: extremes,
      range: { start: iso(grid.start), end: iso(grid.end), step_seconds: grid.stepSeconds },
      series: rows,
      drawn: drawn.length,
      total: found.length,
      has_more: found.length > rows.length,
      firing: (firing ?? []).slice(0, MOST_FIRING).map(firingRow),
      firing_total: firing?.length ?? 0,
      firing_known: firing !== undefined,
      warnings: gathered.answers
        .flatMap(({ value }) => value.warnings)
        .slice(0, 5)
        .map((warning) => cleanText(warning, 300)),
    };
    const title = args.title ?? expr;
    const drawing = { title, grid, drawn, all: found, common, firing: firing ?? [] };
    return { ...result, ...(await handOut(result, drawing, ctx, signal)) };
  },
});

/** @throws ToolInputError */
function gridOf(
  given: { readonly start?: string | undefined; readonly end?: string | undefined },
  now: number,
): Grid {
  const end = given.end === undefined ? now : Date.parse(given.end);
  const start = given.start === undefined ? end - HOUR : Date.parse(given.start);
  if (end <= start) throw new ToolInputError({ code: 'end_before_start', argument: 'end' });
  if (end - start > LONGEST_DAYS * 24 * HOUR) {
    throw new ToolInputError({ code: 'too_long', days: LONGEST_DAYS });
  }
  const stepSeconds = Math.max(1, Math.ceil((end - start) / 1000 / POINTS));
  // The last point is the end itself: a series that is younger than a step has its value there.
  const steps = Math.floor((end - start) / 1000 / stepSeconds);
  return { start: end - steps * stepSeconds * 1000, end, stepSeconds };
}

interface Ranked {
  readonly line: GridLine;
  readonly figures: LineFigures;
}

/** The highest first; lines without any value are none. */
function rank(lines: readonly GridLine[], grid: Grid): readonly Ranked[] {
  return lines
    .flatMap((line) => {
      const figures = figuresOf(line, grid);
      return figures === undefined
        ? []
        : [{ line, figures, key: JSON.stringify(Object.entries(line.labels).sort()) }];
    })
    .sort((a, b) => b.figures.max - a.figures.max || (a.key < b.key ? -1 : 1));
}

function rowOf({ line, figures }: Ranked, common: LabelSet, unit: ChartUnit): ChartRow {
  const { first, last, min, max, mean, samples, gaps } = figures;
  return {
    source: line.source,
    name: lineName(line, common),
    labels: boundedTexts(line.labels, 200),
    ...{ samples, first, last, min, max, mean, gaps },
    max_at: iso(figures.maxAt),
    ...(figures.maxAfter === undefined ? {} : { max_after: iso(figures.maxAfter) }),
    last_at: iso(figures.lastAt),
    ...(line.unusable === 0 ? {} : { unusable: line.unusable }),
    shown: {
      first: showValue(first, unit),
      last: showValue(last, unit),
      min: showValue(min, unit),
      max: showValue(max, unit),
      mean: showValue(mean, unit),
    },
  };
}

function firingRow({ name, stretches, open }: ChartFiring): ChartResult['firing'][number] {
  const shown = stretches.slice(-MOST_STRETCHES);
  return {
    name: cleanText(name, 200),
    stretches: shown.map(({ start, end }, index) => ({
      start: iso(start),
      ...(open && index === shown.length - 1 ? {} : { end: iso(end) }),
    })),
  };
}
