/**
 * Optimal string alignment: insertions, deletions, substitutions and swaps of neighbours, each 1.
 * Answers `limit + 1` for anything farther than `limit`.
 */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, at(before, j - 2) + 1);
      }
      row.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    before = last;
    last = row;
  }
  return at(last, b.length);
}

/** True when the words differ by one swap of neighbouring letters, the commonest typo. */
export function isSwap(a: string, b: string): boolean {
  return (
    a.length === b.length &&
    a !== b &&
    editDistance(a, b, 1) === 1 &&
    Array.from(a).sort().join('') === Array.from(b).sort().join('')
  );
}

const MOST_TYPOS = 2;

/**
 * How far `typed` is from `known`, or undefined when they are different words. Short words must be
 * nearly equal; digits must be equal, since `web-01` is no typo of `web-02`; and of a name made of
 * parts only one part of at least five letters may differ, since `prod-a` is no typo of `prod-b`.
 */
export function typoDistance(typed: string, known: string): number | undefined {
  if (typed === known) return 0;
  if (Math.abs(typed.length - known.length) > MOST_TYPOS) return undefined;
  if (typed.replace(/\D+/g, ' ') !== known.replace(/\D+/g, ' ') && /\d/.test(typed + known)) {
    return undefined;
  }
  const [left, right] = [typed.split(/[^\p{L}\p{N}]+/u), known.split(/[^\p{L}\p{N}]+/u)];
  if (left.length === right.length && left.length > 1) {
    const wrong = left.flatMap((part, index) =>
      part === right[index] ? [] : [[part, right[index] ?? ''] as const],
    );
    const only = wrong.length === 1 ? wrong[0] : undefined;
    return only === undefined ? undefined : wordDistance(only[0], only[1]);
  }
  return wordDistance(typed, known);
}

function wordDistance(typed: string, known: string): number | undefined {
  const shorter = Math.min(typed.length, known.length);
  if (shorter < 4) return undefined;
  if (shorter === 4 && typed.length === known.length) return isSwap(typed, known) ? 1 : undefined;
  const limit = shorter >= 8 ? MOST_TYPOS : 1;
  const distance = editDistance(typed, known, limit);
  return distance <= limit ? distance : undefined;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
