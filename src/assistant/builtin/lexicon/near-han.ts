import { isHan } from '../text/normalise.js';
import { CHINESE } from './chinese.js';
import type { Concept } from './concept.js';

/** Long words of these may have one wrong character; a shorter one would be another word. */
const NOUNS: readonly Concept[] = ['alert', 'silence', 'target', 'rule', 'firing', 'down', 'count'];
const SHORTEST = 4;
export const LONGEST_NEAR = 6;

const NEAR = new Map<string, string>();
for (const concept of NOUNS) {
  for (const phrase of CHINESE[concept]?.split('|') ?? []) {
    const characters = Array.from(phrase);
    if (characters.length < SHORTEST || !characters.every(isHan)) continue;
    for (const pattern of patternsOf(characters)) {
      // Two words are equally near: nothing is guessed.
      NEAR.set(pattern, NEAR.has(pattern) && NEAR.get(pattern) !== phrase ? '' : phrase);
    }
  }
}

/** The one long word of ours that differs from `characters` in one of them; 采及目标 → 采集目标. */
export function nearHan(characters: readonly string[]): string | undefined {
  if (characters.length < SHORTEST || characters.length > LONGEST_NEAR) return undefined;
  const found = new Set(patternsOf(characters).flatMap((pattern) => NEAR.get(pattern) ?? []));
  const [only] = found;
  return found.size === 1 && only !== '' && only !== characters.join('') ? only : undefined;
}

function patternsOf(characters: readonly string[]): readonly string[] {
  return characters.map((_, index) => characters.with(index, '?').join(''));
}
