import type { ChartUnit } from '../charts/chart-unit.js';
import type { LabelSet } from '../sources/source.types.js';
import type { ExtremesOf } from './chart-extremes.js';
import type { ToolResult } from './tool.js';

/** Values are as the source gave them, in the base of `unit`; `shown` is for people. */
export interface ChartRow {
  readonly source: string;
  /** What the picture calls it. */
  readonly name: string;
  readonly labels: LabelSet;
  readonly samples: number;
  readonly first: number;
  readonly last: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly max_at: string;
  /** The highest value was reached after this and until `max_at`; absent: at `max_at`. */
  readonly max_after?: string;
  readonly last_at: string;
  /** Stretches without a value in between. */
  readonly gaps: number;
  /** NaN and infinite samples, which are left out. */
  readonly unusable?: number;
  readonly shown: Readonly<Record<'first' | 'last' | 'min' | 'max' | 'mean', string>>;
}

export interface ChartResult extends ToolResult {
  readonly expr: string;
  readonly unit: ChartUnit;
  /** What `min` and `max` are of; the other figures are of one value each `step_seconds`. */
  readonly min_max: ExtremesOf;
  readonly range: { readonly start: string; readonly end: string; readonly step_seconds: number };
  /** The one with the highest value first. */
  readonly series: readonly ChartRow[];
  /** So many of them, from the first one on, are in the picture. */
  readonly drawn: number;
  readonly total: number;
  readonly has_more: boolean;
  /** Alerts about the same things that fired in the range, the first to fire first. */
  readonly firing: readonly {
    readonly name: string;
    readonly stretches: readonly { readonly start: string; readonly end?: string }[];
  }[];
  readonly firing_total: number;
  /** False: no source could tell which alerts fired. */
  readonly firing_known: boolean;
  /** Shown to the user beside the answer; absent: there is none, for the reason in `no_picture`. */
  readonly picture?: string;
  readonly no_picture?: string;
  readonly warnings: readonly string[];
}
