import {
  queryMetrics,
  type QueryMetricsResult,
  type SeriesRow,
} from '../../tools/query-metrics.tool.js';
import { asksForChart, withoutChartWords } from '../metrics/chart-words.js';
import { rangeOf } from '../metrics/chart-range.js';
import { drawWish, narrowedTo } from './metric-chart.js';
import type { MetricQuestion } from './metric-question.js';
import { readValues, whose } from './named-metric.js';
import { closing, foundLead, unanswered } from '../answer/closing.js';
import { code, plain, table } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import { textOf } from '../parse/segment.js';
import type { FoundPromql } from '../promql/find-promql.js';
import { momentAt } from '../time/clock.js';
import { atomise } from '../text/atoms.js';
import { normalise } from '../text/normalise.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { iso } from '../../tools/iso-time.js';

/** Evaluates an expression now or at a time; over the range that the question names, as a chart. */
export async function* answerQuery(
  run: TurnRun,
  found: FoundPromql & Partial<MetricQuestion>,
): Handling {
  const wantsChart = found.draws ?? asksForChart(run.turn.text);
  const text = wantsChart ? withoutChartWords(found.rest) : found.rest;
  const { time, rest: timeless } = instantIn(text, run);
  const rest = readValues(timeless, run);
  const after = rest.time?.after;
  const isRange =
    after !== undefined || rest.sentence.parts.some((part) => part.time !== undefined);
  const of = whose(rest);
  if (wantsChart || (isRange && time === undefined)) {
    const when = rangeOf(rest, run, text);
    return yield* drawWish(run, { of: { expr: found.expr }, ...of, ...when });
  }
  const narrow = await narrowedTo(run, found.expr, of);
  if ('blocks' in narrow) return narrow;
  const { sort } = found;
  const expr = sort === undefined ? narrow.expr : `${sort}(${narrow.expr})`;
  const how = yield* run.explain(
    understood(run, {
      task: 'query',
      expr,
      ...(time === undefined ? {} : { instant: time }),
      notes: narrow.notes,
      ignored: [...narrow.left, ...rest.unsure],
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
        lead: [bestOf(run, result, sort), leadOf(run, result)].filter((t) => t !== '').join(' '),
      }),
      ...how,
      ...(result.series.length === 0 || isSingle(result) ? [] : [seriesTable(run, result)]),
      ...(result.has_more ? [run.words.more(result.total - result.series.length)] : []),
      ...result.warnings.map((warning) => run.words.warning(plain(warning, 300))),
      ...closing(run, result),
    ],
  };
}

/** Of several sources only each one's own order is known. */
function bestOf(
  run: TurnRun,
  { series }: QueryMetricsResult,
  sort: MetricQuestion['sort'],
): string {
  const [best] = series;
  const isOne = new Set(series.map(({ source }) => source)).size === 1;
  if (sort === undefined || best === undefined || !isOne) return '';
  return run.words.extremeOf(sort === 'sort_desc', seriesName(best), plain(best.value));
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

/** `at 09:00`, `在9点`, and the question without it. */
function instantIn(text: string, run: TurnRun): { readonly time?: number; readonly rest: string } {
  const atoms = atomise(normalise(text), { isLabel: () => false, literals: [] });
  for (const [index, atom] of atoms.entries()) {
    if (atom.key !== 'at' && atom.key !== '在') continue;
    const read = momentAt(atoms, index + 1, run);
    if (read === undefined) continue;
    const { value, length } = read;
    const day = 24 * 3_600_000;
    const isAhead = value.floating === true && value.from > run.now;
    const ends = [textOf(atoms, 0, index), textOf(atoms, index + 1 + length, atoms.length)];
    return { time: isAhead ? value.from - day : value.from, rest: ends.join(' ; ') };
  }
  return { rest: text };
}
