import type { LabelSet } from './source.types.js';

/** A document of a source does not look as its API says; `message` names the place. */
export class ShapeError extends Error {}

export type Document = Readonly<Record<string, unknown>>;

/** @throws ShapeError */
export function asDocument(value: unknown, what: string): Document {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ShapeError(`${what} is not an object`);
  }
  return value as Document;
}

/** null counts as empty: Go writes it for a nil slice. @throws ShapeError */
export function asList(value: unknown, what: string): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new ShapeError(`${what} is not a list`);
  return value as unknown[];
}

/** @throws ShapeError */
export function asText(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new ShapeError(`${what} is not a string`);
  return value;
}

/** Absent and null read as the empty text. @throws ShapeError */
export function asOptionalText(value: unknown, what: string): string {
  return value === null || value === undefined ? '' : asText(value, what);
}

/** RFC 3339 → epoch milliseconds. @throws ShapeError */
export function asTime(value: unknown, what: string): number {
  // Go writes nanoseconds; Date.parse takes any number of digits.
  const time = Date.parse(asText(value, what));
  if (Number.isNaN(time)) throw new ShapeError(`${what} is not a time`);
  return time;
}

/** @throws ShapeError */
export function asLabels(value: unknown, what: string): LabelSet {
  const labels = Object.create(null) as Record<string, string>;
  if (value === null || value === undefined) return labels;
  for (const [name, text] of Object.entries(asDocument(value, what))) {
    labels[name] = asText(text, `${what}.${name}`);
  }
  return labels;
}
