import type { Clause, Matcher } from '../../tools/label-matcher.js';
import { code } from './markdown.js';
import type { Words } from './words.js';

/** Conditions for the user to check: `severity=critical`, `team=core or payments`. */
export function showConditions(where: readonly Clause[], words: Words): string {
  return where
    .map((clause) =>
      'any' in clause
        ? clause.any.map((matcher) => showMatcher(matcher, words)).join(words.or)
        : showMatcher(clause, words),
    )
    .join(', ');
}

function showMatcher({ label, op, values }: Matcher, words: Words): string {
  if (op === 'contains') {
    const text = values.map((value) => code(value)).join(words.or);
    return words.contains(label === undefined ? undefined : code(label), text);
  }
  if (op === '=' && values.length === 1 && values[0] === '' && label !== undefined) {
    return words.absent(code(label));
  }
  const name = label ?? words.anyLabel;
  if (op === '!=' && values.length === 1 && values[0] === '') return words.present(code(name));
  if (op === '!=') {
    return values.map((value) => `${words.not}${code(`${name}=${value}`)}`).join(', ');
  }
  return values.map((value) => code(`${name}${op}${value}`)).join(words.or);
}
