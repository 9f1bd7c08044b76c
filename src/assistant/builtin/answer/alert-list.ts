import type { AlertRow } from '../../tools/alert-row.js';
import type { Clause } from '../../tools/label-matcher.js';
import { SEVERITY_LABELS } from '../../tools/severity.js';
import type { TurnRun } from '../turn-run.js';
import { code, pair, plain, table } from './markdown.js';

const USUAL = [
  'busigroup',
  'group',
  'team',
  'env',
  'environment',
  'cluster',
  'namespace',
  'service',
  'app',
  'instance',
  'host',
  'node',
  'pod',
  'job',
];
const MOST_LABELS = 6;

/** A table of alerts, numbered from `from` (1 is the first), so that `the second` can be said. */
export function alertTable(
  run: TurnRun,
  rows: readonly AlertRow[],
  where: readonly Clause[],
  from: number,
  quietness?: (row: AlertRow) => string,
): string {
  const { columns, states } = run.words;
  const withState = rows.some((row) => row.state !== 'active');
  const withSource = new Set(rows.map((row) => row.source)).size > 1;
  // One alert alone is shown whole.
  const most = rows.length === 1 ? 32 : MOST_LABELS;
  return table(
    [
      '#',
      columns.alert,
      columns.severity,
      columns.labels,
      columns.since,
      columns.summary,
      ...(withState ? [columns.state] : []),
      ...(quietness === undefined ? [] : [columns.silenced]),
      ...(withSource ? [columns.source] : []),
    ],
    rows.map((row, index) => [
      String(from + index),
      code(row.name),
      row.severity === undefined ? '–' : plain(row.severity),
      labelsOf(run, row, where, most),
      run.since(row.since),
      plain(row.summary ?? ''),
      ...(withState ? [states[row.state] ?? row.state] : []),
      ...(quietness === undefined ? [] : [quietness(row)]),
      ...(withSource ? [plain(row.source)] : []),
    ]),
  );
}

function labelsOf(run: TurnRun, row: AlertRow, where: readonly Clause[], most: number): string {
  const asked = where.flatMap((clause) => ('any' in clause ? clause.any : [clause]));
  const order = [...asked.flatMap(({ label }) => label ?? []), ...USUAL];
  const rank = (name: string): number => {
    const index = order.indexOf(name);
    return index === -1 ? order.length : index;
  };
  const shownElsewhere = [
    'alertname',
    SEVERITY_LABELS.find((name) => row.labels[name] === row.severity),
  ];
  const names = Object.keys(row.labels)
    .filter((name) => !shownElsewhere.includes(name))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  const left = names.length - most + (row.more_labels ?? 0);
  const shown = names.slice(0, most).map((name) => pair(name, row.labels[name] ?? ''));
  return [...shown, ...(left > 0 ? [run.words.moreLabels(left)] : [])].join(' ') || '–';
}
