import { ToolInputError } from './tool.js';

const LONGEST_VALUE = 1024;
/** Unbounded repetitions one after another cost values^n in a backtracking engine. */
const MOST_REPETITIONS = 3;

/**
 * Compiles an anchored label pattern as Prometheus writes them. JavaScript's engine backtracks, so
 * a pattern that could run for long on a crafted value is refused instead of run: no repeated
 * group, no look-around, no back-reference, at most three repetitions.
 * @throws ToolInputError
 */
export function compilePattern(source: string): (value: string) => boolean {
  const bare = source.replace(/\\./g, '').replace(/\[\^?\]?[^\]]*\]/g, 'x');
  const repetitions = bare.match(/[*+{]/g)?.length ?? 0;
  const risky =
    /\)[*+?{]/.test(bare) || /\(\?(?!:)/.test(bare) || /\\[1-9k]/.test(source.replace(/\\\\/g, ''));
  if (risky || repetitions > MOST_REPETITIONS) {
    throw new ToolInputError(
      `the pattern ${JSON.stringify(source)} is too complex: use literals, "|", ".", "[…]" and at most ${String(MOST_REPETITIONS)} repetitions`,
    );
  }
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^(?:${source})$`, 'su');
  } catch {
    throw new ToolInputError(`${JSON.stringify(source)} is not a valid pattern`);
  }
  return (value) => value.length <= LONGEST_VALUE && pattern.test(value);
}
