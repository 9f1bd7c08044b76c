import {
  queryMetrics,
  type QueryMetricsResult,
  type SeriesRow,
} from '../../tools/query-metrics.tool.js';
import { asksForChart, withoutChartWords } from '../metrics/chart-words.js';
import { answerChart } from './chart.js';
import { memoryOf } from './metric-chart.js';
import { rangeIn, readValues } from './named-metric.js';
import { closing, foundLead, unanswered } from '../answer/closing.js';
import { code, plain, table } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import { cutUp } from '../parse/question.js';
import { Vocabulary } from '../parse/vocabulary.js';
import type { FoundPromql } from '../promql/find-promql.js';
import { type Moment, momentAt } from '../time/clock.js';
import { atomise } from '../text/atoms.js';
import { normalise } from '../text/normalise.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { iso } from '../../tools/iso-time.js';

const NOTHING = new Vocabulary([]);

/** Evaluates an expression now or at a time; over the range that the question names, as a chart. */
export async function* answerQuery(run: TurnRun, found: FoundPromql): Handling {
  const wantsChart = asksForChart(run.turn.text);
  const text = wantsChart ? withoutChartWords(found.rest) : found.rest;
  const rest = readValues(text, run);
  const matchers = cutUp(text, NOTHING, run).segments.flatMap(({ matcher }) => matcher ?? []);
  // `up for job=node`: a bare name takes the conditions as its selector.
  const bare = /^[A-Za-z_:][\w:]*$/.test(found.expr);
  const selector = matchers.map(({ label, op, value }) => `${label}${op}${JSON.stringify(value)}`);
  const expr = bare && selector.length > 0 ? `${found.expr}{${selector.join(',')}}` : found.expr;
  const unmatched = rest.conditions.unmatched.map(({ text }) => text);
  const shown = new Set(matchers.map(({ label, value }) => `${label}=${value}`));
  const ignored = [
    ...rest.ignored,
    ...rest.unsure,
    ...unmatched.filter((text) => !bare || !shown.has(text)),
  ];
  const after = rest.time?.after;
  if (wantsChart || after !== undefined) {
    const when = rangeIn(run, rest);
    const end = when.end ?? run.now;
    const answer = yield* answerChart(run, {
      expr,
      range: { start: end - when.span, end, toCome: when.toCome === true },
      ignored,
    });
    return { ...answer, chart: memoryOf({ of: { expr }, words: [], matchers: [], ...when }) };
  }
  const time = instantIn(text, run);
  const how = yield* run.explain(
    understood(run, {
      task: 'query',
      expr,
      ...(time === undefined ? {} : { instant: time }),
      ignored,
    }),
  );
  const result = yield* run.call(queryMetrics, {
    expr,
    ...(time === undefined ? {} : { time: iso(time) }),
  });
  const none = unanswered(run, result, 'metrics');
  if (none !== undefined) return { blocks: none };
  return {
    blocks: [
      foundLead(run, result, {
        what: 'metrics',
        total: result.total,
        conditions: '',
        lead: leadOf(run, result),
      }),
      ...how,
      ...(result.series.length === 0 || isSingle(result) ? [] : [seriesTable(run, result)]),
      ...(result.has_more ? [run.words.more(result.total - result.series.length)] : []),
      ...result.warnings.map((warning) => run.words.warning(plain(warning, 300))),
      ...closing(run, result),
    ],
  };
}

function leadOf(run: TurnRun, result: QueryMetricsResult): string {
  const only = result.series[0];
  if (only === undefined) return run.words.noSeries;
  return isSingle(result) ? run.words.scalar(plain(only.value)) : run.words.series(result.total);
}

/** A number or text without labels. */
function isSingle(result: QueryMetricsResult): boolean {
  return result.kind === 'scalar' || result.kind === 'string';
}

function seriesTable(run: TurnRun, result: QueryMetricsResult): string {
  const { columns } = run.words;
  const withSource = new Set(result.series.map(({ source }) => source)).size > 1;
  const source = (row: SeriesRow): readonly string[] => (withSource ? [plain(row.source)] : []);
  const sourceHead = withSource ? [columns.source] : [];
  return table(
    [columns.series, columns.value, columns.at, ...sourceHead],
    result.series.map((row) => [seriesName(row), plain(row.value), run.at(row.at), ...source(row)]),
  );
}

function seriesName({ labels }: SeriesRow): string {
  const { __name__: name = '', ...rest } = labels;
  const pairs = Object.entries(rest).map(([label, value]) => `${label}="${value}"`);
  return code(`${name}{${pairs.join(', ')}}`, 300);
}

/** `at 09:00`, `在9点`. */
function instantIn(text: string, run: TurnRun): number | undefined {
  const atoms = atomise(normalise(text), { isLabel: () => false, literals: [] });
  for (const [index, atom] of atoms.entries()) {
    if (atom.key !== 'at' && atom.key !== '在') continue;
    const moment: Moment | undefined = momentAt(atoms, index + 1, run)?.value;
    if (moment === undefined) continue;
    const day = 24 * 3_600_000;
    return moment.floating === true && moment.from > run.now ? moment.from - day : moment.from;
  }
  return undefined;
}
