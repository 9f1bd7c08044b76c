import { withoutHidden } from '../domain/hidden-characters.js';

/** What users and callers have named must not act on a terminal. */
export function visible(text: string): string {
  return withoutHidden(text, ' ').replace(/[\n\t]/g, ' ');
}

/** Columns as wide as they must be, two spaces between them, a line end after each row. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(visible));
  const widths = head.map((_name, column) =>
    Math.max(...all.map((row) => row[column]?.length ?? 0)),
  );
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
