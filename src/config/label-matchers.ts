import type { WriteScope } from './config.types.js';

type Matcher = WriteScope['matchers'][number];

const MATCHER = /^\s*([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*")\s*$/;

/** `team="payments"`, `env=~"dev|test"`: one matcher in Alertmanager's notation. */
export function parseMatcher(text: string): Matcher | undefined {
  const match = MATCHER.exec(text);
  if (match === null) return undefined;
  const [, name = '', op = '', quoted = ''] = match;
  try {
    return { name, op: op as Matcher['op'], value: JSON.parse(quoted) as string };
  } catch {
    return undefined;
  }
}

export function matchersFault(value: unknown): string | undefined {
  const fine = (entry: unknown): boolean =>
    typeof entry === 'string' && parseMatcher(entry) !== undefined;
  return Array.isArray(value) && value.length <= 20 && value.every(fine)
    ? undefined
    : 'must be a list of matchers such as team="pay"';
}
