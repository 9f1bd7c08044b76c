import { chartRenderer, ChartError } from '../charts/chart-renderer.js';
import type { ChartSpec } from '../charts/chart-spec.js';
import type { JsonObject, Part } from '../../domain/a2a.js';
import { plainText } from '../../domain/hidden-characters.js';
import type { Redactor } from '../llm/redactor.js';
import { cleanText } from '../sources/clean-text.js';
import type { LabelSet } from '../sources/source.types.js';
import { FINE_SECONDS } from './chart-extremes.js';
import type { ChartFiring } from './chart-firing.js';
import { type Grid, type GridLine, lineName, seriesText } from './chart-lines.js';
import type { ChartResult } from './chart-result.js';
import type { ToolContext, ToolOutlet } from './tool.js';

/** More points than that stand in a CSV file, not in the data part. */
const INLINE_POINTS = 600;
const CSV_SERIES = 100;
const MOST_BANDS = 6;
const MOST_COMMON = 4;

export interface Drawing {
  readonly title: string;
  readonly grid: Grid;
  readonly drawn: readonly GridLine[];
  readonly all: readonly GridLine[];
  /** Labels of all that is drawn. */
  readonly common: LabelSet;
  readonly firing: readonly ChartFiring[];
}

const WORDS = {
  en: {
    some: (drawn: number, total: number) =>
      `${drawn} of ${total} series are drawn: those with the highest values.`,
    unusable: 'NaN and infinite values are left out.',
    unknown: 'Which alerts fired is not known here.',
    band: {
      samples: 'Shaded around a line: from its lowest to its highest sample in each step.',
      evaluations: (each: string) =>
        `Shaded around a line: from its lowest to its highest value in each step, of one each ${each}.`,
      points: (each: string) => `One value each ${each}: what lies in between is not shown.`,
    },
    seconds: (n: number) => showStep(n, ['s', 'min', 'h']),
    nothing: 'there is no value to draw',
  },
  zh: {
    some: (drawn: number, total: number) => `共 ${total} 条序列，只画出数值最高的 ${drawn} 条。`,
    unusable: '已略去 NaN 与无穷大的值。',
    unknown: '无法得知当时有哪些告警。',
    band: {
      samples: '曲线周围的阴影：每一步内所有采样的最低值到最高值。',
      evaluations: (each: string) =>
        `曲线周围的阴影：每一步内的最低值到最高值（每 ${each}取一个）。`,
      points: (each: string) => `每 ${each}取一个数值，其间的变化没有画出。`,
    },
    seconds: (n: number) => showStep(n, ['秒', '分钟', '小时']),
    nothing: '没有可以画出的数值',
    busy: '目前正在绘制的图表过多',
    late: (seconds: number) => `绘制超过了 ${seconds} 秒`,
    failed: '图表绘制失败',
  },
} as const;

/**
 * Gives the user the picture, with its numbers beside it. What cannot be drawn is no error: the
 * figures of the result stand by themselves.
 * @throws the signal's reason.
 */
export async function handOut(
  result: ChartResult,
  drawing: Drawing,
  { outlet, reads }: ToolContext,
  signal: AbortSignal,
): Promise<Pick<ChartResult, 'picture' | 'no_picture'>> {
  if (outlet === undefined) return {};
  const { language } = outlet;
  const { redactor } = reads.sources;
  if (drawing.drawn.length === 0) return { no_picture: WORDS[language].nothing };
  try {
    const { svg, png } = await chartRenderer.draw(
      specOf(result, drawing, language, redactor),
      signal,
    );
    const title = textOf(drawing.title, 120, redactor);
    outlet.attach({
      name: 'chart',
      description: title,
      contentType: 'chart',
      parts: [
        { raw: Buffer.from(png).toString('base64'), mediaType: 'image/png', filename: 'chart.png' },
        {
          raw: Buffer.from(svg).toString('base64'),
          mediaType: 'image/svg+xml',
          filename: 'chart.svg',
        },
        ...numbersOf(result, drawing, redactor),
      ],
    });
    return { picture: 'chart.png' };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ChartError)) throw error;
    return { no_picture: reasonOf(error, language) };
  }
}

function specOf(
  result: ChartResult,
  drawing: Drawing,
  language: ToolOutlet['language'],
  redactor: Redactor,
): ChartSpec {
  const { grid, drawn, common, firing, all } = drawing;
  const words = WORDS[language];
  const shared = Object.entries(common)
    .filter(([name]) => name !== '__name__')
    .slice(0, MOST_COMMON)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const sources = [...new Set(drawn.map(({ source }) => source))];
  return {
    title: textOf(drawing.title, 120, redactor),
    subtitle: textOf([sources.join(', '), ...shared].join(' · '), 120, redactor),
    language,
    unit: result.unit,
    ...grid,
    series: drawn.map((line) => ({
      name: textOf(lineName(line, common), 120, redactor),
      values: line.values,
      ...(line.lows === undefined || line.highs === undefined
        ? {}
        : { lows: line.lows, highs: line.highs }),
    })),
    firing: firing.slice(0, MOST_BANDS).map(({ name, stretches, open }) => ({
      name: textOf(name, 60, redactor),
      stretches: stretches.map(({ start, end }) => ({ start: Math.max(start, grid.start), end })),
      open,
    })),
    moreFiring: Math.max(0, firing.length - MOST_BANDS),
    notes: [
      ...bandNote(result, language),
      ...(all.length > drawn.length ? [words.some(drawn.length, all.length)] : []),
      ...(all.some(({ unusable }) => unusable > 0) ? [words.unusable] : []),
      ...(result.firing_known ? [] : [words.unknown]),
    ],
  };
}

function reasonOf({ fault, message }: ChartError, language: ToolOutlet['language']): string {
  if (language === 'en') return message;
  return fault.code === 'late' ? WORDS.zh.late(fault.seconds) : WORDS.zh[fault.code];
}

function showStep(seconds: number, [s, min, h]: readonly [string, string, string]): string {
  if (seconds < 120) return `${seconds} ${s}`;
  return seconds < 3 * 3600
    ? `${Math.round(seconds / 60)} ${min}`
    : `${Math.round(seconds / 360) / 10} ${h}`;
}

/** What the shade around a line is, or that there may be more than the line shows. */
function bandNote({ min_max: of }: ChartResult, language: ToolOutlet['language']): string[] {
  const { band, seconds } = WORDS[language];
  switch (of.of) {
    case 'samples':
      return [band.samples];
    case 'evaluations':
      return [band.evaluations(seconds(of.each_seconds))];
    case 'points':
      return of.each_seconds <= FINE_SECONDS ? [] : [band.points(seconds(of.each_seconds))];
  }
}

/** The same numbers for a machine: in the data part, or beside it where they are many. */
function numbersOf(result: ChartResult, drawing: Drawing, redactor: Redactor): readonly Part[] {
  const { query, time, unit, min_max, range, total, firing, sources } = result;
  const points = drawing.drawn.reduce(
    (sum, { values, lows }) => sum + values.length * (lows === undefined ? 1 : 3),
    0,
  );
  const isLong = points > INLINE_POINTS;
  const numbered = JSON.stringify({
    kind: 'nightjar.chart/1',
    ...{ query, time, unit, min_max, range, total, firing },
    sources: sources.map(({ name, type, demo }) => ({ name, type, demo })),
    series: result.series.map(({ source, name, labels, ...figures }, index) => ({
      ...{ source, name, labels, ...figures },
      ...(isLong || drawing.drawn[index] === undefined ? {} : numbers(drawing.drawn[index])),
    })),
    ...(isLong ? { values_in: 'chart.csv' } : {}),
  });
  const data = redactor.hideIn(JSON.parse(numbered) as JsonObject);
  if (!isLong) return [{ data }];
  const csv = Buffer.from(redactor.hide(csvOf(drawing))).toString('base64');
  return [{ data }, { raw: csv, mediaType: 'text/csv', filename: 'chart.csv' }];
}

function numbers({ values, lows, highs }: GridLine): object {
  return { values, ...(lows === undefined ? {} : { lows, highs }) };
}

/** RFC 4180: a row for each step, a column for each series, the drawn ones first; two more where its extremes are known. */
function csvOf({ drawn, all, grid }: Drawing): string {
  const lines = [...drawn, ...all.filter((line) => !drawn.includes(line))].slice(0, CSV_SERIES);
  const steps = drawn[0]?.values.length ?? 0;
  // A selector never begins with a sign that a spreadsheet would take for a formula.
  const columns = lines.flatMap(({ labels, values, lows, highs }) => {
    const name = plainText(seriesText(labels, 500));
    return [
      { head: name, values },
      ...(lows === undefined ? [] : [{ head: `${name} min`, values: lows }]),
      ...(highs === undefined ? [] : [{ head: `${name} max`, values: highs }]),
    ];
  });
  const head = ['time', ...columns.map((one) => quoted(one.head))];
  const rows = Array.from({ length: steps }, (_, index) => [
    new Date(grid.start + index * grid.stepSeconds * 1000).toISOString(),
    ...columns.map(({ values }) => String(values[index] ?? '')),
  ]);
  return [head, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

/** One line, without secrets. */
function textOf(text: string, max: number, redactor: Redactor): string {
  return cleanText(redactor.hide(text), max);
}
