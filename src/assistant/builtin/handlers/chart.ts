import type { ChartUnit } from '../../charts/chart-unit.js';
import type { ChartResult } from '../../tools/chart-result.js';
import { chart } from '../../tools/chart.tool.js';
import { FINE_SECONDS } from '../../tools/chart-extremes.js';
import { seriesText } from '../../tools/chart-lines.js';
import { closing, foundLead, unanswered } from '../answer/closing.js';
import { code, plain, table } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import type { RangeRemark } from '../metrics/chart-range.js';
import type { Note } from '../parse/conditions.types.js';
import { showInstant } from '../time/zoned.js';
import type { Handling, TurnRun } from '../turn-run.js';

export interface ChartQuestion {
  readonly expr: string;
  readonly title?: string;
  readonly unit?: ChartUnit;
  readonly range: { readonly start: number; readonly end: number };
  /** What is not as it was asked for. */
  readonly remarks?: readonly RangeRemark[];
  readonly notes?: readonly Note[];
  readonly ignored: readonly string[];
}

const FIRING_SHOWN = 5;
const STRETCHES_SHOWN = 3;

/** How a value went over a time: a picture, and the same in words and figures. */
export async function* answerChart(run: TurnRun, asked: ChartQuestion): Handling {
  const { words } = run;
  const { expr, title, unit, range, remarks = [], notes = [], ignored } = asked;
  const how = yield* run.explain(understood(run, { task: 'query', expr, range, notes, ignored }));
  const result = yield* run.call(chart, {
    expr,
    start: new Date(range.start).toISOString(),
    end: new Date(range.end).toISOString(),
    ...(title === undefined ? {} : { title: title.slice(0, 120) }),
    ...(unit === undefined ? {} : { unit }),
  });
  const none = unanswered(run, result, 'metrics');
  if (none !== undefined) return { blocks: none };
  return {
    blocks: [
      ...remarks.map((remark) => remarkOf(run, remark, result)),
      foundLead(run, result, {
        what: 'metrics',
        total: result.total,
        conditions: '',
        lead: leadOf(run, result, title),
      }),
      ...extremesOf(run, result),
      ...how,
      ...(result.series.length === 0 ? [] : [seriesTable(run, result)]),
      ...(result.has_more && result.series.length > 0
        ? [words.more(result.total - result.series.length)]
        : []),
      ...firingBlock(run, result),
      ...(result.picture === undefined ? [] : [words.picture(result.picture)]),
      ...(result.no_picture === undefined || result.series.length === 0
        ? []
        : [words.noPicture(plain(result.no_picture, 200))]),
      ...result.warnings.map((warning) => words.warning(plain(warning, 300))),
      ...closing(run, result),
    ],
  };
}

function remarkOf({ words, zone }: TurnRun, remark: RangeRemark, { range }: ChartResult): string {
  const { rangeSaid } = words;
  const texts = (said: readonly string[]): string => said.map((one) => code(one, 60)).join(', ');
  switch (remark.kind) {
    case 'to-come':
      return words.toCome;
    case 'crosses':
      return rangeSaid.crosses(showInstant(remark.start, zone), showInstant(remark.end, zone));
    case 'cut':
      return rangeSaid.cut(remark.days);
    case 'unread':
      return rangeSaid.unread(texts(remark.texts));
    case 'table':
      return rangeSaid.table;
    case 'step':
      return rangeSaid.step(code(remark.text, 60), range.step_seconds);
  }
}

/** What the lowest and highest are of: they must not hide what was between two values. */
function extremesOf({ words }: TurnRun, result: ChartResult): readonly string[] {
  const { series, range, min_max: minMax } = result;
  const step = range.step_seconds;
  if (series.length === 0) return [];
  switch (minMax.of) {
    case 'samples':
      return [words.everySample(step)];
    case 'evaluations':
      return [words.eachBetween(step, minMax.each_seconds)];
    case 'points':
      return step <= FINE_SECONDS ? [] : [words.eachStep(step)];
  }
}

function leadOf(run: TurnRun, result: ChartResult, title: string | undefined): string {
  const { words } = run;
  const [only] = result.series;
  if (only === undefined) {
    return result.total === 0 ? words.noSeriesIn : words.noValues(result.total);
  }
  if (result.total > 1) return words.series(result.total);
  const { shown, last_at: lastAt, max_at: maxAt, max_after: maxAfter } = only;
  // Of no label at all: what was asked for is all that it can be called by.
  const own = Object.keys(only.labels).length === 0 ? result.expr : only.name;
  const name = title === undefined ? code(own, 120) : plain(title, 120);
  return words.went(name, {
    ...shown,
    lastAt: run.at(lastAt),
    maxAt: run.at(maxAt),
    ...(maxAfter === undefined ? {} : { maxAfter: run.at(maxAfter) }),
  });
}

function seriesTable(run: TurnRun, result: ChartResult): string {
  const { columns } = run.words;
  const withSource = new Set(result.series.map(({ source }) => source)).size > 1;
  return table(
    [
      ...[columns.series, columns.first, columns.min, columns.max, columns.last],
      ...(withSource ? [columns.source] : []),
    ],
    result.series.map(({ labels, shown, source }) => [
      code(seriesText(labels), 300),
      ...[shown.first, shown.min, shown.max, shown.last].map((text) => plain(text)),
      ...(withSource ? [plain(source)] : []),
    ]),
  );
}

function firingBlock(
  run: TurnRun,
  { firing, firing_total: total, firing_known: isKnown }: ChartResult,
): readonly string[] {
  const { words } = run;
  if (!isKnown) return [words.firingUnknown];
  if (firing.length === 0) return [];
  const lines = firing.slice(0, FIRING_SHOWN).map(({ name, stretches }) => {
    const shown = stretches.slice(-STRETCHES_SHOWN).map(({ start, end }) => {
      return words.stretch(run.at(start), end === undefined ? undefined : run.at(end));
    });
    const left = stretches.length - shown.length;
    return `- ${code(name)}: ${shown.join(', ')}${left > 0 ? ` ${words.more(left)}` : ''}`;
  });
  const more = total > lines.length ? [`- ${words.more(total - lines.length)}`] : [];
  return [[words.firedMeanwhile(total), ...lines, ...more].join('\n')];
}
