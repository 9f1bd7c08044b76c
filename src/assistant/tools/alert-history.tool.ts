import { z } from 'zod';
import type { PastAlert } from '../sources/source.types.js';
import { type AlertRow, rowOf } from './alert-row.js';
import { compileWhere, showWhere, whereSchema } from './label-matcher.js';
import { type Page, pageOf, pagingShape } from './page.js';
import { defineReadTool, leftOutOf, reportOf, ToolInputError, type ToolResult } from './tool.js';
import { iso } from './iso-time.js';

const HOUR = 3_600_000;
const LONGEST_HOURS = 30 * 24;

export interface PastAlertRow extends Omit<AlertRow, 'state'> {
  readonly state: 'ended' | 'firing';
  /** RFC 3339: when this one was triggered; `since` is the first time of its kind. */
  readonly triggered_at: string;
  readonly ended_at?: string;
}

export interface AlertHistoryResult extends ToolResult, Page {
  /** The newest first. */
  readonly alerts: readonly PastAlertRow[];
}

export const alertHistory = defineReadTool({
  name: 'alert_history',
  description:
    'Alerts that were triggered in a time of the past, ended ones included, of sources that keep them (n9e). The newest come first.',
  schema: z.strictObject({
    since: z.iso.datetime({ offset: true }).optional().describe('Default: 24 hours before until'),
    until: z.iso.datetime({ offset: true }).optional().describe('Default: now'),
    state: z.enum(['ended', 'firing', 'any']).default('any'),
    where: whereSchema,
    text: z.string().max(200).optional().describe('Contained in a label or an annotation'),
    ...pagingShape(20),
  }),
  needs: ({ history }) => history !== undefined,
  run: async (args, ctx, signal): Promise<AlertHistoryResult> => {
    if (!ctx.reads.sources.all.some(({ history }) => history !== undefined)) {
      throw new ToolInputError({ code: 'no_history' });
    }
    const until = args.until === undefined ? Date.now() : Date.parse(args.until);
    const since = args.since === undefined ? until - 24 * HOUR : Date.parse(args.since);
    if (since >= until) throw new ToolInputError({ code: 'end_before_start', argument: 'until' });
    if (until - since > LONGEST_HOURS * HOUR) {
      throw new ToolInputError({ code: 'too_long', days: LONGEST_HOURS / 24 });
    }
    const clauses = [
      ...(args.where ?? []),
      ...(args.text === undefined ? [] : [{ op: 'contains' as const, values: [args.text] }]),
    ];
    const holds = compileWhere(clauses);
    const gathered = await ctx.reads.gatherFrom(
      (source) => source.history,
      (history, abort) => history.list({ since, until }, abort),
      signal,
    );
    const found = gathered.answers
      .flatMap(({ value }) => value)
      .filter((alert) => args.state === 'any' || (args.state === 'ended') === alert.ended)
      .filter((alert) => holds(alert.labels, alert.annotations))
      .sort((a, b) => b.triggeredAt - a.triggeredAt || (a.fingerprint < b.fingerprint ? -1 : 1));
    const words = clauses.length === 0 ? '' : `, ${showWhere(clauses)}`;
    const isAll = args.state === 'any' && clauses.length === 0;
    const { rows, page } = pageOf(found, args, isAll ? leftOutOf(gathered) : 0);
    return {
      query: `alerts triggered from ${iso(since)} to ${iso(until)}: state=${args.state}${words}`,
      ...reportOf(gathered),
      alerts: rows.map(pastRowOf),
      ...page,
    };
  },
});

function pastRowOf(alert: PastAlert): PastAlertRow {
  return {
    ...rowOf(alert),
    state: alert.ended ? 'ended' : 'firing',
    triggered_at: iso(alert.triggeredAt),
    ...(alert.endedAt === undefined ? {} : { ended_at: iso(alert.endedAt) }),
  };
}
