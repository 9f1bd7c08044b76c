import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import type { LabelSet } from '../sources/source.types.js';
import { boundedTexts } from './alert-row.js';
import { compare, type Firing, firingsOf, withRouter } from './firing-past.js';
import { compileWhere, showWhere, whereSchema } from './label-matcher.js';
import { type Page, pageOf, pagingShape } from './page.js';
import { matchersOf, type Period, readPast } from './read-past.js';
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
  /** It fired before `first` already, since when is not known. */
  readonly before?: true;
  /** When it began anew; only of one that fires at the end and has ended before. */
  readonly since?: string;
  /** When it had ended before `since`. */
  readonly ended?: string;
  /** The evaluation that found it over; absent: it fires at the end. */
  readonly last?: string;
  /** In how many stretches it fired; at least so many where `exact` is false. */
  readonly times: number;
  /** False: times are known to `precision_seconds` only, and shorter gaps are not seen. */
  readonly exact: boolean;
}

export interface AlertTimelineResult extends ToolResult, Page {
  /** The first to fire comes first. */
  readonly timeline: readonly TimelineRow[];
  /** What the times of rows with `exact: false` may be wrong by; 0: all are exact. */
  readonly precision_seconds: number;
  /** False: no Prometheus answered, so alerts that have ended since are missing. */
  readonly ended_known: boolean;
}

const HOUR = 3600_000;
const LONGEST = 7 * 24 * HOUR;
/** ms between the caller's clock reading and ours, at most. */
const MOMENT = 60_000;

export const alertTimeline = defineReadTool({
  name: 'alert_timeline',
  description:
    'What fired in a period, in the order in which it began (what fired first?), alerts that have ended since included, and how many times each fired. Default: the last 6 hours.',
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
    const { start, end } = period;
    const holds = compileWhere(where);
    const [past, present] = await Promise.all([
      ctx.reads.gatherFrom(
        (source) => source.metrics,
        (metrics, abort) => readPast(metrics, matchersOf(where), period, abort),
        signal,
      ),
      ctx.reads.alerts(signal),
    ]);
    const seen = past.answers.flatMap(({ source, value }) => firingsOf(source.name, value, period));
    const firing = present.answers
      .flatMap(({ value }) => value)
      .filter(({ startsAt }) => startsAt <= end);
    const entries = withRouter(seen, firing, now - end < MOMENT, present.view)
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
      precision_seconds: Math.max(0, ...entries.map(({ slack }) => slack / 1000)),
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
  return { start, end };
}

function rowOf(firing: Firing): TimelineRow {
  const { source, labels, first, before, since, last, over, times, slack } = firing;
  const severity = severityOf(labels);
  return {
    source,
    name: cleanText(labels['alertname'] ?? '', 200),
    ...(severity === undefined ? {} : { severity: cleanText(severity, 200) }),
    labels: boundedTexts(labels, 200),
    first: iso(first),
    ...(before ? { before } : {}),
    ...(last === undefined && times > 1 ? { since: iso(since) } : {}),
    ...(last === undefined && over !== undefined ? { ended: iso(over) } : {}),
    ...(last === undefined ? {} : { last: iso(last) }),
    times,
    exact: slack === 0,
  };
}

function nameOf({ labels }: Firing): string {
  return labels['alertname'] ?? '';
}
