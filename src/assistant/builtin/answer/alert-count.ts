import type { CountAlertsResult } from '../../tools/count-alerts.tool.js';
import { ROUTE_GROUP } from '../../tools/count-alerts.tool.js';
import type { TurnRun } from '../turn-run.js';
import { plain, table } from './markdown.js';

/** The groups of a count as a table; empty text when there are none. */
export function countTable(run: TurnRun, result: CountAlertsResult): string {
  if (result.groups.length === 0) return '';
  const { words } = run;
  return table(
    [...result.by.map((label) => titleOf(run, label)), words.columns.count],
    result.groups.map(({ keys, count }) => [
      ...keys.map((key) => (key === '' ? words.without : plain(key))),
      String(count),
    ]),
  );
}

/** `payments with 5 alerts`; every group that has as many is named. */
export function extreme(
  run: TurnRun,
  result: CountAlertsResult,
  kind: 'most' | 'least',
): string | undefined {
  // An alert without the label is no answer to `which team has the most`.
  const named = result.groups.filter(({ keys }) => keys.some((key) => key !== ''));
  const counts = named.map(({ count }) => count);
  if (counts.length === 0) return undefined;
  const best = kind === 'most' ? Math.max(...counts) : Math.min(...counts);
  const keys = named
    .filter(({ count }) => count === best)
    .map((group) => group.keys.map((key) => plain(key)).join(' / '));
  const labels = result.by.map((label) => titleOf(run, label)).join(', ');
  return run.words.most(kind, labels, keys, best);
}

function titleOf(run: TurnRun, label: string): string {
  return label === ROUTE_GROUP ? run.words.columns.group : plain(label);
}
