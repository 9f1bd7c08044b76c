import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

const LINES = join(import.meta.dirname, 'out/figures.jsonl');

/** One row of the suite's table. */
export interface Figure {
  readonly fault: string;
  readonly figure: string;
  readonly value: string;
  readonly promised: string;
  readonly ok: boolean;
}

/** Writes down what was measured, without a promise. */
export function note(fault: string, figure: string, value: string | number): void {
  row({ fault, figure, value: String(value), promised: '', ok: true });
}

/** Writes down a number and fails when it is above what is promised. */
export function atMost(fault: string, figure: string, value: number, most: number): void {
  const ok = value <= most;
  row({ fault, figure, value: String(Math.round(value * 10) / 10), promised: `≤ ${most}`, ok });
  expect(value, `${fault}: ${figure}`).toBeLessThanOrEqual(most);
}

/** The highest of a sample, and its median, as text. */
export function spread(sample: readonly number[], unit = 'ms'): string {
  if (sample.length === 0) return 'none';
  const sorted = [...sample].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return `p50 ${Math.round(at(0.5))} ${unit}, p99 ${Math.round(at(0.99))}, max ${Math.round(at(1))}`;
}

function row(figure: Figure): void {
  appendFileSync(LINES, `${JSON.stringify(figure)}\n`);
}
