import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import type { Alert } from '../sources/source.types.js';
import { selectAlerts, selectionShape, showSelection } from './alert-selection.js';
import { pageOf, pagingShape } from './page.js';
import { severityOf, severityRank } from './severity.js';
import { defineReadTool, reportOf, type ToolContext, type ToolResult } from './tool.js';

export interface CountAlertsResult extends ToolResult {
  readonly view: 'router' | 'rules';
  readonly total: number;
  readonly suppressed: number;
  readonly unfiltered: number;
  readonly by: readonly string[];
  /** Most first. `keys[i]` belongs to `by[i]`; empty: the alert has no such label. */
  readonly groups: readonly { readonly keys: readonly string[]; readonly count: number }[];
  readonly total_groups: number;
  /** Groups in which every label of `by` is there. */
  readonly labelled_groups: number;
  /** The `offset` of the groups after these. */
  readonly next_offset: number;
  readonly has_more: boolean;
}

/** Stands for the routing groups of the alert router instead of a label. */
export const ROUTE_GROUP = '@group';

export const countAlerts = defineReadTool({
  name: 'count_alerts',
  description:
    'How many alerts fire, in all and by one or two labels ("severity" finds the severity label whatever its name, "@group" the routing groups).',
  schema: z.strictObject({
    ...selectionShape,
    by: z.array(z.string().min(1).max(200)).max(2).default(['severity']),
    ...pagingShape(50),
  }),
  run: async ({ by, limit, offset, ...selection }, ctx, signal): Promise<CountAlertsResult> => {
    const { reading, alerts, unfiltered } = await selectAlerts(selection, ctx, signal);
    const keysOf = await grouping(by, ctx, signal);
    const counts = new Map<string, { keys: readonly string[]; count: number }>();
    for (const alert of alerts) {
      for (const keys of keysOf(alert)) {
        const id = JSON.stringify(keys);
        const group = counts.get(id);
        if (group === undefined) counts.set(id, { keys, count: 1 });
        else group.count += 1;
      }
    }
    const groups = [...counts.values()].sort(
      (a, b) => b.count - a.count || compareKeys(a.keys, b.keys, by),
    );
    const { rows, page } = pageOf(groups, { limit, offset });
    return {
      query: `${showSelection(selection)}, counted${by.length === 0 ? '' : ` by ${by.join(', ')}`}`,
      ...reportOf(reading),
      view: reading.view,
      total: alerts.length,
      suppressed: alerts.filter((alert) => alert.state === 'suppressed').length,
      unfiltered,
      by,
      groups: rows,
      total_groups: page.total,
      labelled_groups: groups.filter(({ keys }) => keys.every((key) => key !== '')).length,
      next_offset: page.next_offset,
      has_more: page.has_more,
    };
  },
});

type KeysOf = (alert: Alert) => readonly (readonly string[])[];

async function grouping(
  by: readonly string[],
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<KeysOf> {
  const axes = await Promise.all(by.map((name) => axisOf(name, ctx, signal)));
  return (alert) =>
    axes.reduce<readonly (readonly string[])[]>(
      (rows, axis) => rows.flatMap((row) => axis(alert).map((key) => [...row, key])),
      [[]],
    );
}

async function axisOf(
  name: string,
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<(alert: Alert) => readonly string[]> {
  if (name === 'severity') return (alert) => [cleanText(severityOf(alert.labels) ?? '', 200)];
  if (name !== ROUTE_GROUP) return (alert) => [cleanText(alert.labels[name] ?? '', 200)];
  const { answers } = await ctx.reads.groups(signal);
  const groupsOf = new Map<string, string[]>();
  for (const group of answers.flatMap((answer) => answer.value)) {
    const labels = Object.entries(group.labels).map(([key, value]) => `${key}=${value}`);
    const title = cleanText(`${labels.join(', ')} → ${group.receiver}`, 200);
    for (const fingerprint of group.fingerprints) {
      const key = `${group.source} ${fingerprint}`;
      groupsOf.set(key, [...(groupsOf.get(key) ?? []), title]);
    }
  }
  return (alert) => groupsOf.get(`${alert.source} ${alert.fingerprint}`) ?? [''];
}

function compareKeys(a: readonly string[], b: readonly string[], by: readonly string[]): number {
  for (const [index, name] of by.entries()) {
    const [left = '', right = ''] = [a[index], b[index]];
    const ranked = name === 'severity' ? severityRank(left) - severityRank(right) : 0;
    if (ranked !== 0) return ranked;
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
