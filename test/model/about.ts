/** Real time passes between the model's look at the clock and Redis'; a stalled machine adds to it. */
const SLACK_MS = 25_000;

/** A time by Redis' clock, ms: equal to any number, or text of one, close to it. */
export class About {
  constructor(readonly ms: number) {}
}

/** A text of words, of which the numbers are times: `token 1700000000000`. */
export class Words {
  constructor(readonly words: readonly (string | number)[]) {}
}

/** Structural equality; an `About` stands for every number near it. */
export function same(expected: unknown, actual: unknown): boolean {
  if (expected instanceof About) return Math.abs(Number(actual) - expected.ms) <= SLACK_MS;
  if (expected instanceof Words) {
    const words = String(actual).split(' ');
    return same(
      expected.words.map((word) => (typeof word === 'number' ? new About(word) : word)),
      words,
    );
  }
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      expected.length === actual.length &&
      expected.every((one, index) => same(one, actual[index]))
    );
  }
  if (isRecord(expected) && isRecord(actual)) {
    const names = Object.keys(expected);
    return (
      names.length === Object.keys(actual).length &&
      names.every((name) => Object.hasOwn(actual, name) && same(expected[name], actual[name]))
    );
  }
  return expected === actual;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
