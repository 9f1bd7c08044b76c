import type { Clause } from '../../tools/label-matcher.js';
import type { Unmatched } from '../parse/conditions.types.js';
import type { Question } from '../parse/question.js';

/**
 * The conditions of a question as plain texts, for what is searched by text. What cannot be said so
 * is handed back to be shown as not understood.
 */
export function textsOf({ conditions, grouping, ignored, timeTexts }: Question): {
  readonly texts: readonly string[];
  readonly ignored: readonly string[];
} {
  const texts: string[] = [];
  const unsaid: string[] = [...ignored, ...timeTexts];
  for (const clause of conditions.where) {
    const matchers = 'any' in clause ? clause.any : [clause];
    const values = [...new Set(matchers.flatMap((matcher) => matcher.values))];
    const only = values[0];
    const sayable = matchers.every(({ op }) => op === '=' || op === 'contains');
    if (sayable && values.length === 1 && only !== undefined && only !== '') texts.push(only);
    else unsaid.push(...values);
  }
  for (const { text } of conditions.unmatched) texts.push(text.slice(text.indexOf('=') + 1));
  // `created by alice`
  texts.push(...grouping.missing);
  return { texts: texts.filter((text) => text !== '').slice(0, 10), ignored: unsaid };
}

/** Conditions that nothing live fulfils, for the tools: what is asked of a source is what it shows. */
export function clausesOf(unmatched: readonly Unmatched[]): readonly Clause[] {
  return unmatched.map(({ text }) => {
    const [, label, value = ''] = /^([^\s=!~]{1,200})=(?!~)(.*)$/su.exec(text) ?? [];
    const values = [(label === undefined ? text : value).slice(0, 500)];
    return { ...(label === undefined ? {} : { label }), op: '=', values };
  });
}
