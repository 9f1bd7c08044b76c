import type { ChartBand, ChartLine, ChartSpec } from './chart-spec.js';
import { showValue } from './chart-unit.js';

/**
 * A phone shows the picture about 400 points wide: the texts of these 720 units then have the size of
 * the texts around it.
 */
export const WIDTH = 720;
/** With the labels of the time axis. */
export const PLOT_HEIGHT = 380;
const MARGIN = 20;
const LINE_HEIGHT = 30;
const MOST_BANDS = 4;
const MOST_STRETCHES = 2;
/** Of a character of the figures, at most. */
const FIGURE_WIDTH = 8.5;

export const FONT = "'Noto Sans Hans', 'Noto Sans SC', 'Noto Sans', sans-serif";
export const COLOURS = [
  '#2563eb',
  '#d9480f',
  '#087f5b',
  '#9c36b5',
  '#0b7285',
  '#c2255c',
  '#846200',
  '#495057',
];
const GREY = '#5c636a';
const FIRING_TEXT = '#b02525';
export const FIRING_FILL = 'rgba(224, 49, 49, 0.13)';
const DASHED = [8, 5];
const DAY = 24 * 3_600_000;

/** Of ECharts' `graphic`. */
export type GraphicElement = Readonly<Record<string, unknown>>;

export interface Layout {
  readonly height: number;
  readonly plotTop: number;
  /** Texts and marks above and below the plot. */
  readonly elements: readonly GraphicElement[];
}

const WORDS = {
  en: {
    last: 'last',
    max: 'max',
    firing: 'firing',
    more: (n: number) => `and ${n} more that fired`,
  },
  zh: { last: '最新', max: '最大', firing: '告警', more: (n: number) => `另有 ${n} 条告警触发过` },
} as const;

/** Where everything but the plot itself goes, from the top down. */
export function layoutOf(spec: ChartSpec): Layout {
  const inner = WIDTH - 2 * MARGIN;
  const elements: GraphicElement[] = [text(MARGIN, 16, spec.title, { size: 22, width: inner })];
  let y = 50;
  if (spec.subtitle !== '') {
    elements.push(text(MARGIN, y, spec.subtitle, { size: 16, fill: GREY, width: inner }));
    y += 26;
  }
  const plotTop = y + 20;
  y = plotTop + PLOT_HEIGHT + 18;
  for (const [index, line] of spec.series.entries()) {
    elements.push(lineMark(index, y));
    const told = figures(spec, line);
    const room = inner - 50 - told.length * FIGURE_WIDTH;
    elements.push(text(MARGIN + 38, y, line.name, { width: room }));
    elements.push(text(WIDTH - MARGIN, y, told, { size: 16, right: true }));
    y += LINE_HEIGHT;
  }
  for (const line of bandLines(spec)) {
    elements.push({
      type: 'rect',
      silent: true,
      shape: { x: MARGIN, y: y + 2, width: 26, height: 16 },
      style: { fill: FIRING_FILL, stroke: FIRING_TEXT, lineWidth: 1 },
    });
    elements.push(text(MARGIN + 38, y, line, { size: 16, fill: FIRING_TEXT, width: inner - 38 }));
    y += LINE_HEIGHT;
  }
  for (const note of spec.notes) {
    elements.push(text(MARGIN, y, note, { size: 15, fill: GREY, width: inner }));
    y += 26;
  }
  return { height: y + 12, plotTop, elements };
}

/** How the line of one series looks, in the plot and in the legend. */
export function strokeOf(index: number): { readonly stroke: string; readonly lineDash?: number[] } {
  const stroke = COLOURS[index % COLOURS.length] ?? GREY;
  // Not by colour alone: half of them are dashed.
  return index % 2 === 0 ? { stroke } : { stroke, lineDash: DASHED };
}

function lineMark(index: number, y: number): GraphicElement {
  return {
    type: 'line',
    silent: true,
    shape: { x1: MARGIN, y1: y + 11, x2: MARGIN + 28, y2: y + 11 },
    style: { ...strokeOf(index), lineWidth: 3.5 },
  };
}

function figures(spec: ChartSpec, { values, highs = values }: ChartLine): string {
  const { unit, language, start, stepSeconds } = spec;
  const words = WORDS[language];
  const at = values.findLastIndex((value) => value !== null);
  const last = values[at] ?? null;
  if (last === null) return '–';
  const max = highs.reduce<number>((most, value) => Math.max(most, value ?? most), last);
  // It may have ended long ago.
  const isOld = at < values.length - 2;
  const when = isOld ? ` (${clock(start + at * stepSeconds * 1000, spec)})` : '';
  return `${words.last} ${showValue(last, unit)}${when}   ${words.max} ${showValue(max, unit)}`;
}

/** A line for each alert whose bands are in the plot. */
function bandLines(spec: ChartSpec): readonly string[] {
  const shown = spec.firing.slice(0, MOST_BANDS);
  const left = spec.firing.length - shown.length + spec.moreFiring;
  const words = WORDS[spec.language];
  const lines = shown.map((band) => `${words.firing}: ${band.name}  ${stretchesOf(band, spec)}`);
  return left > 0 ? [...lines, words.more(left)] : lines;
}

function stretchesOf({ stretches, open }: ChartBand, spec: ChartSpec): string {
  const texts = stretches.map((one, index) => {
    const from = one.start <= spec.start ? '…' : clock(one.start, spec);
    const to = open && index === stretches.length - 1 ? '…' : clock(one.end, spec);
    return `${from}–${to}`;
  });
  const shown = texts.slice(-MOST_STRETCHES).join(', ');
  return texts.length > MOST_STRETCHES ? `(${texts.length}×) … ${shown}` : shown;
}

/** With its day, where the picture has several. */
function clock(at: number, { start, end }: ChartSpec): string {
  const text = new Date(at).toISOString();
  return end - start > DAY ? `${text.slice(5, 10)} ${text.slice(11, 16)}` : text.slice(11, 16);
}

interface TextStyle {
  readonly size?: number;
  readonly fill?: string;
  /** The text is cut to it. */
  readonly width?: number;
  /** `x` is its right end. */
  readonly right?: boolean;
}

function text(
  x: number,
  y: number,
  content: string,
  { size = 17, fill = '#212529', width, right = false }: TextStyle,
): GraphicElement {
  return {
    type: 'text',
    silent: true,
    style: {
      text: content,
      x,
      y,
      fill,
      font: `${size}px ${FONT}`,
      ...(right ? { align: 'right' } : {}),
      ...(width === undefined ? {} : { width, overflow: 'truncate', ellipsis: '…' }),
    },
  };
}
