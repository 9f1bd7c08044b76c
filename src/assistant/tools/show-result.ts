import { cut } from '../sources/clean-text.js';

const MARK = ' [cut here: the result was too long]';

/**
 * A tool's result as JSON of at most `max` characters. Rows are taken off the end of its longest
 * lists, and `<list>_left_out` says how many; of a page `next_offset` goes back by as many, so that
 * none is skipped. A text that is still too long is cut and marked.
 */
export function showResult(result: object, max: number): string {
  const whole = JSON.stringify(result);
  if (whole.length <= max) return whole;
  const shown: Record<string, unknown> = { ...result };
  const lists = Object.entries(shown)
    .filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]))
    .map(([name, rows]) => ({ name, rows, size: JSON.stringify(rows).length }))
    .sort((a, b) => b.size - a.size);
  for (const { name, rows } of lists) {
    const noted = { ...shown, [name]: [], [`${name}_left_out`]: rows.length };
    const kept = fitting(rows, max - JSON.stringify(noted).length);
    if (kept.length === rows.length) continue;
    shown[name] = kept;
    shown[`${name}_left_out`] = rows.length - kept.length;
    if (name !== 'sources') Object.assign(shown, backBy(rows.length - kept.length, result));
    const text = JSON.stringify(shown);
    if (text.length <= max) return text;
  }
  return cut(JSON.stringify(shown), max - MARK.length) + MARK;
}

/** Pages have one list beside their sources. */
function backBy(left: number, result: object): object {
  const { next_offset: end } = result as { readonly next_offset?: unknown };
  return typeof end === 'number' ? { next_offset: end - left, has_more: true } : {};
}

function fitting(rows: readonly unknown[], room: number): readonly unknown[] {
  let left = room;
  const end = rows.findIndex((row) => {
    left -= JSON.stringify(row).length + 1;
    return left < 0;
  });
  return end === -1 ? rows : rows.slice(0, end);
}
