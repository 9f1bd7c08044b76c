import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import type { LabelSet } from '../sources/source.types.js';
import { boundedTexts } from './alert-row.js';
import {
  compare,
  type Firing,
  firingsOf,
  matchersOf,
  type Period,
  readPast,
  withRouter,
} from './firing-past.js';
import { compileWhere, showWhere, whereSchema } from './label-matcher.js';
import { type Page, pageOf, pagingShape } from './page.js';
import { severityOf } from './severity.js';
import { defineReadTool, reportOf, ToolInputError, type ToolResult } from './tool.js';
import { iso } from './iso-time.js';

export interface TimelineRow {
  readonly source: string;
  readonly name: string;
  readonly severity?: string;
  readonly labels: LabelSet;
  /** RFC 3339: when it first began to fire in the period. */
  readonly first: string;
  /** When it was last seen firing, late by `precision_seconds` at most; absent: it fires at the end. */
  readonly last?: string;
  /** In how many stretches it fired, as far as `precision_seconds` can tell them apart. */
  readonly times: number;
  /** False: `first` is known to `precision_seconds` only, and may be late by that. */
  readonly exact: boolean;
}

export interface AlertTimelineResult extends ToolResult, Page {
  /** The first to fire comes first. */
  readonly timeline: readonly TimelineRow[];
  readonly precision_seconds: number;
  /** False: no Prometheus answered, so alerts that have ended since are missing. */
  readonly ended_known: boolean;
}

const HOUR = 3600_000;
const LONGEST = 7 * 24 * HOUR;
/** ms between the caller's clock reading and ours, at most. */
const MOMENT = 60_000;
/** Of each series: what a period is cut into. */
const MOST_POINTS = 120;

export const alertTimeline = defineReadTool({
  name: 'alert_timeline',
  description:
    'What fired in a period, in the order in which it began (what fired first?), alerts that have ended since included. Default: the last 6 hours.',
  schema: z.strictObject({
    start: z.iso.datetime({ offset: true }).optional(),
    end: z.iso.datetime({ offset: true }).optional().describe('Default: now'),
    where: whereSchema,
    ...pagingShape(30),
  }),
  run: async (
    { where = [], limit, offset, ...given },
    ctx,
    signal,
  ): Promise<AlertTimelineResult> => {
    const now = Date.now();
    const period = periodOf(given, now);
    const { start, end, stepSeconds } = period;
    const holds = compileWhere(where);
    const [past, present] = await Promise.all([
      ctx.reads.gatherFrom(
        (source) => source.metrics,
        (metrics, abort) => readPast(metrics, matchersOf(where), period, abort),
        signal,
      ),
      ctx.reads.alerts(signal),
    ]);
    const seen = past.answers.flatMap(({ source, value }) =>
      firingsOf(source.name, value, stepSeconds * 1000),
    );
    const firing = present.answers
      .flatMap(({ value }) => value)
      .filter(({ startsAt }) => startsAt <= end);
    const entries = withRouter(seen, firing, now - end < 2 * stepSeconds * 1000, present.view)
      .filter(({ labels }) => holds(labels))
      .sort((a, b) => a.first - b.first || compare(nameOf(a), nameOf(b)));
    const condition = where.length === 0 ? '' : `, ${showWhere(where)}`;
    const { rows, page } = pageOf(entries, { limit, offset });
    return {
      query: `alerts that fired from ${iso(start)} to ${iso(end)}${condition}`,
      time: iso(now),
      sources: [...reportOf(past).sources, ...reportOf(present).sources],
      timeline: rows.map(rowOf),
      ...page,
      precision_seconds: stepSeconds,
      ended_known: past.answers.length > 0,
    };
  },
});

/** @throws ToolInputError */
function periodOf(
  given: { readonly start?: string | undefined; readonly end?: string | undefined },
  now: number,
): Period {
  const end = given.end === undefined ? now : Date.parse(given.end);
  const asked = given.start === undefined ? end - 6 * HOUR : Date.parse(given.start);
  const earliest = end - LONGEST;
  // "Seven days ago" was reckoned a moment before this `now`.
  const start = asked < earliest && asked > earliest - MOMENT ? earliest : asked;
  if (end <= start || end - start > LONGEST) {
    throw new ToolInputError('the period must end after it starts, and be 7 days at most');
  }
  return { start, end, stepSeconds: Math.max(1, Math.ceil((end - start) / 1000 / MOST_POINTS)) };
}

function rowOf({ source, labels, first, last, times, exact }: Firing): TimelineRow {
  const severity = severityOf(labels);
  return {
    source,
    name: cleanText(labels['alertname'] ?? '', 200),
    ...(severity === undefined ? {} : { severity: cleanText(severity, 200) }),
    labels: boundedTexts(labels, 200),
    first: iso(first),
    ...(last === undefined ? {} : { last: iso(last) }),
    times,
    exact,
  };
}

function nameOf({ labels }: Firing): string {
  return labels['alertname'] ?? '';
}
