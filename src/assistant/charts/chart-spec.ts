import type { ChartUnit } from './chart-unit.js';

/** A picture to be drawn, as plain data: it goes to another thread. All texts are cleaned and cut. */
export interface ChartSpec {
  readonly title: string;
  /** What holds for all of it: the expression's common labels, the source. */
  readonly subtitle: string;
  readonly language: 'en' | 'zh';
  readonly unit: ChartUnit;
  /** Epoch milliseconds of the first point; the others follow at every step. */
  readonly start: number;
  readonly end: number;
  readonly stepSeconds: number;
  /** The most important one first. */
  readonly series: readonly ChartLine[];
  readonly firing: readonly ChartBand[];
  /** How many alerts have fired that are in no band. */
  readonly moreFiring: number;
  /** What is not in the picture, a line each. */
  readonly notes: readonly string[];
}

export interface ChartLine {
  readonly name: string;
  /** One for each step from the start to the end; null: there is none, or none that can be drawn. */
  readonly values: readonly (number | null)[];
  /** The lowest and the highest value since the point before, both or none: shaded around the line. */
  readonly lows?: readonly (number | null)[];
  readonly highs?: readonly (number | null)[];
}

/** An alert's stretches of firing, each within the chart's range. */
export interface ChartBand {
  readonly name: string;
  readonly stretches: readonly { readonly start: number; readonly end: number }[];
  /** It fires at the end of the range. */
  readonly open: boolean;
}

export interface ChartPicture {
  readonly svg: string;
  readonly png: Uint8Array;
}
