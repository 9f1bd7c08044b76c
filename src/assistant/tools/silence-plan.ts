import { z } from 'zod';
import { hiddenIn, plainText } from '../../domain/hidden-characters.js';
import type { Redactor } from '../llm/redactor.js';
import type { Alert, MatchOp, Source } from '../sources/source.types.js';
import type { SilenceMatcher } from '../writes/write-plan.js';
import { compileWhere } from './label-matcher.js';
import { ToolInputError, type ToolContext } from './tool.js';

/** Label names as Prometheus has them. */
const NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

export const matcherSchema = z.strictObject({
  name: z.string().regex(NAME).max(200),
  op: z.enum(['=', '!=', '=~', '!~']).default('='),
  value: z.string().max(500),
});

/** In Alertmanager's notation: `team="a", env!="dev"`. */
export function showMatchers(matchers: readonly SilenceMatcher[]): string {
  return matchers.map(({ name, op, value }) => `${name}${op}${JSON.stringify(value)}`).join(', ');
}

/** Longer ones nobody reads before approving them. */
const MOST_CHARS = 2000;

/** The same matchers, without secrets and hidden characters: for people, not to match with. */
export function shownMatchers(
  matchers: readonly SilenceMatcher[],
  redactor: Redactor,
): readonly SilenceMatcher[] {
  return matchers.map(({ name, op, value }) => {
    const pair = redactor.hideIn({ [name]: plainText(value) }) as Record<string, string>;
    const [shown = value] = Object.values(pair);
    return { name, op, value: shown };
  });
}

/** @throws ToolInputError for what cannot be matched, or cannot be shown as it is. */
export function checkMatchers(matchers: readonly SilenceMatcher[], redactor: Redactor): void {
  fits(matchers);
  if (matchers.some(({ value }) => hiddenIn(value) !== undefined || /[\n\t]/.test(value))) {
    throw new ToolInputError({ code: 'hidden_characters' });
  }
  if (showMatchers(shownMatchers(matchers, redactor)) !== showMatchers(matchers)) {
    throw new ToolInputError({ code: 'holds_secret' });
  }
  if (showMatchers(matchers).length > MOST_CHARS) {
    throw new ToolInputError({ code: 'matchers_too_long', most: MOST_CHARS });
  }
}

/** @throws ToolInputError for a pattern that cannot be matched. */
export function fits(matchers: readonly SilenceMatcher[]): (alert: Alert) => boolean {
  const holds = compileWhere(
    matchers.map(({ name, op, value }) => ({
      label: name,
      op: op satisfies MatchOp,
      values: [value],
    })),
  );
  return ({ labels }) => holds(labels);
}

/**
 * The source that takes a silence: the one that is named, the only one, or the only one where
 * something fits.
 * @throws ToolInputError
 */
export async function silencingSource(
  wanted: string | undefined,
  matchers: readonly SilenceMatcher[],
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<Source> {
  const able = ctx.reads.sources.all.filter((source) => source.silenceWrites !== undefined);
  const names = able.map(({ name }) => name).join(', ');
  if (able.length === 0) {
    throwRefusal(ctx.reads.sources.all);
    throw new ToolInputError({ code: 'takes_no_silence' });
  }
  if (wanted !== undefined) {
    const named = able.find(({ name }) => name === wanted);
    if (named !== undefined) return named;
    throw new ToolInputError({ code: 'source_takes_no_silence', source: wanted, able: names });
  }
  const [only, ...more] = able;
  if (only !== undefined && more.length === 0) return only;
  const { answers, failures } = await ctx.reads.alerts(signal);
  const holds = fits(matchers);
  const firing = able.filter(({ name }) =>
    answers.some(({ source, value }) => source.name === name && value.some(holds)),
  );
  const [one, ...others] = firing;
  if (one !== undefined && others.length === 0) return one;
  const away = failures.map(({ error }) => error);
  throw new ToolInputError({ code: 'which_source', able: names, failures: away });
}

/** @throws ToolInputError for the first of these that says why it takes no silences of this caller. */
export function throwRefusal(sources: readonly Source[]): void {
  const refusing = sources.find(({ silenceRefusal }) => silenceRefusal !== undefined);
  const code = refusing?.silenceRefusal;
  if (code !== undefined) throw new ToolInputError({ code, source: refusing?.name ?? '' });
}
