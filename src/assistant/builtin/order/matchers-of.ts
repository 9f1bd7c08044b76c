import type { CreateSilenceArgs } from '../../tools/create-silence.tool.js';
import type { Clause } from '../../tools/label-matcher.js';

export type SilenceMatchers = CreateSilenceArgs['matchers'];

/** What a clause says as a matcher of a silence; undefined when one cannot say it. */
export function matcherOf(given: Clause): SilenceMatchers[number] | undefined {
  const clause = nameAlone(given);
  if ('any' in clause || clause.label === undefined) return undefined;
  const { label: name, op, values } = clause;
  const [value = '', ...more] = values;
  switch (op) {
    case '=':
    case '!=':
      if (more.length === 0) return { name, op, value };
      return { name, op: op === '=' ? '=~' : '!~', value: values.map(escaped).join('|') };
    case '=~':
    case '!~':
      return {
        name,
        op,
        value: more.length === 0 ? value : values.map((one) => `(?:${one})`).join('|'),
      };
    case 'contains':
      return { name, op: '=~', value: `.*(?:${values.map(escaped).join('|')}).*` };
  }
}

/** n9e has the name of an alert's rule among its tags as well: that is one thing, said twice. */
function nameAlone(clause: Clause): Clause {
  if (!('any' in clause)) return clause;
  const names = clause.any.filter(({ label }) => label !== 'rulename');
  const [only, ...more] = names;
  return only?.label === 'alertname' && more.length === 0 ? only : clause;
}

function escaped(value: string): string {
  return value.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}
