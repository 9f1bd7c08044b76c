import { LineChart, type LineSeriesOption } from 'echarts/charts';
import { GraphicComponent, GridComponent, MarkAreaComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import {
  FIRING_FILL,
  FONT,
  type GraphicElement,
  layoutOf,
  PLOT_HEIGHT,
  strokeOf,
  WIDTH,
} from './chart-layout.js';
import type { ChartLine, ChartSpec } from './chart-spec.js';
import { scaleFor, shortNumber, withSuffix } from './chart-unit.js';

use([LineChart, GridComponent, GraphicComponent, MarkAreaComponent, SVGRenderer]);

const AXIS_TEXT = { color: '#343a40', fontSize: 16, fontFamily: FONT };
const DAY = 24 * 3_600_000;
/** Opacity: the lines of others must be seen through it. */
const SHADE = 0.28;

/** The picture as an SVG document. The same spec gives the same bytes. */
export function drawSvg(spec: ChartSpec): string {
  const { height, plotTop, elements } = layoutOf(spec);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  try {
    chart.setOption(optionOf(spec, plotTop, elements));
    return plainSvg(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}

function optionOf(
  spec: ChartSpec,
  plotTop: number,
  elements: readonly GraphicElement[],
): Parameters<ReturnType<typeof init>['setOption']>[0] {
  const { start, end, stepSeconds, unit } = spec;
  const drawn = spec.series.flatMap(({ values, lows = [], highs = [] }) =>
    [...values, ...lows, ...highs].filter((value) => value !== null),
  );
  const low = drawn.reduce((a, b) => Math.min(a, b), Infinity);
  const high = drawn.reduce((a, b) => Math.max(a, b), -Infinity);
  const { divisor, suffix } = scaleFor(unit, Math.max(Math.abs(low), Math.abs(high)));
  return {
    animation: false,
    backgroundColor: '#ffffff',
    useUTC: true,
    textStyle: { fontFamily: FONT },
    graphic: [...elements],
    // `same`: the labels of the axes are within it, however wide they are.
    grid: {
      left: 20,
      right: 34,
      top: plotTop,
      height: PLOT_HEIGHT,
      outerBoundsMode: 'same',
    },
    xAxis: {
      type: 'time',
      min: start,
      max: end,
      name: end - start > DAY ? 'UTC (MM-DD)' : 'UTC',
      nameLocation: 'middle',
      nameGap: 30,
      nameTextStyle: { ...AXIS_TEXT, color: '#5c636a' },
      splitNumber: 4,
      axisLabel: {
        ...AXIS_TEXT,
        hideOverlap: true,
        formatter: {
          year: '{MM}-{dd}',
          month: '{MM}-{dd}',
          day: '{MM}-{dd}',
          hour: '{HH}:{mm}',
          minute: '{HH}:{mm}',
          second: '{HH}:{mm}:{ss}',
        },
      },
      axisLine: { lineStyle: { color: '#868e96' } },
      axisTick: { show: true, lineStyle: { color: '#868e96' } },
      splitLine: { show: true, lineStyle: { color: '#f1f3f5' } },
    },
    yAxis: {
      type: 'value',
      ...bounds(unit, low / divisor, high / divisor),
      splitNumber: 5,
      axisLabel: {
        ...AXIS_TEXT,
        formatter: (value: number) => withSuffix(shortNumber(value), suffix),
      },
      splitLine: { lineStyle: { color: '#dee2e6' } },
    },
    series: spec.series.flatMap((line, index) => [
      ...shadeOf(line, index, { start, stepSeconds, divisor }),
      {
        type: 'line' as const,
        data: line.values.map((value, at) =>
          pointOf(line.values, value, at, { start, stepSeconds, divisor }),
        ),
        connectNulls: false,
        symbol: 'none',
        silent: true,
        emphasis: { disabled: true },
        lineStyle: lineStyleOf(index),
        itemStyle: { color: strokeOf(index).stroke },
        z: 10 - index,
        ...(index === 0 ? { markArea: bandsOf(spec) } : {}),
      },
    ]),
  };
}

function lineStyleOf(index: number): object {
  const { stroke, lineDash } = strokeOf(index);
  return { width: 2.6, color: stroke, ...(lineDash ? { type: lineDash } : {}) };
}

interface Plotting {
  readonly start: number;
  readonly stepSeconds: number;
  readonly divisor: number;
}

/** From the lowest to the highest value of each step: an invisible line, and an area on top of it. */
function shadeOf(
  { lows, highs }: ChartLine,
  index: number,
  grid: Plotting,
): readonly LineSeriesOption[] {
  if (lows === undefined || highs === undefined) return [];
  const { stroke } = strokeOf(index);
  const common = {
    type: 'line',
    stack: `shade ${String(index)}`,
    // Also below zero, and across it.
    stackStrategy: 'all',
    symbol: 'none',
    silent: true,
    emphasis: { disabled: true },
    lineStyle: { width: 0 },
    // The extremes of a point are those since the point before.
    step: 'start',
    z: 1,
  } as const;
  const point = (at: number, value: number | null): [number, number | null] => [
    grid.start + at * grid.stepSeconds * 1000,
    value === null ? null : value / grid.divisor,
  ];
  return [
    { ...common, data: lows.map((low, at) => point(at, low)) },
    {
      ...common,
      data: lows.map((low, at) => {
        const high = highs[at] ?? null;
        return point(at, low === null || high === null ? null : high - low);
      }),
      areaStyle: { color: stroke, opacity: SHADE },
    },
  ];
}

/** A point between two gaps has no line: it is drawn as a dot. */
function pointOf(
  values: readonly (number | null)[],
  value: number | null,
  at: number,
  grid: Plotting,
): { value: [number, number | null]; symbol?: string; symbolSize?: number } {
  const time = grid.start + at * grid.stepSeconds * 1000;
  if (value === null) return { value: [time, null] };
  const isAlone = (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
  return {
    value: [time, value / grid.divisor],
    ...(isAlone ? { symbol: 'circle', symbolSize: 7 } : {}),
  };
}

/** From zero, unless all of it is far away from there: then its shape would be a flat line. */
function bounds(
  unit: ChartSpec['unit'],
  low: number,
  high: number,
): { min?: number; max?: number; scale?: boolean } {
  const isShare = unit === 'percent' || unit === 'ratio';
  if (isShare && low >= 0 && high <= 100 && high > 60) return { min: 0, max: 100 };
  if (low < 0) return {};
  return low > 0.7 * high && high > low ? { scale: true } : { min: 0 };
}

function bandsOf({ firing }: ChartSpec): object {
  return {
    silent: true,
    itemStyle: { color: FIRING_FILL },
    data: firing.flatMap(({ stretches }) =>
      stretches.map(({ start, end }) => [{ xAxis: start }, { xAxis: end }]),
    ),
  };
}

/**
 * Ids count up over the life of the process, which would make each picture another one; and not every
 * renderer reads the `font` shorthand.
 */
function plainSvg(svg: string): string {
  const ids = new Map<string, string>();
  return svg
    .replace(/\bzr\d+-[\w-]+/g, (id) => {
      const known = ids.get(id) ?? `n${ids.size}`;
      ids.set(id, known);
      return known;
    })
    .replace(
      /style="font: ?(?:bold |normal )*(\d+)px ([^"]+)"/g,
      (_, size: string, family: string) => `font-size="${size}" font-family="${family}"`,
    );
}
