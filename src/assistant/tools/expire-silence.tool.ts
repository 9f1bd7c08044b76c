import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import { isUndone, SourceError } from '../sources/source-error.js';
import type { Silence, Source } from '../sources/source.types.js';
import type { PlanFacts, WritePlan } from '../writes/write-plan.js';
import type { Affected, WriteTool } from '../writes/write-tool.js';
import { LOOK_MS } from '../writes/look-back.js';
import type { Deed, Looked } from '../writes/write-desk.js';
import type { WriteWords } from '../writes/write-words.js';
import { matcherSchema, showMatchers, shownMatchers, throwRefusal } from './silence-plan.js';
import { parseInput, schemaOf, ToolInputError } from './tool.js';

const input = z.strictObject({
  id: z.string().min(1).max(100).describe('Of the silence, as list_silences shows it'),
  source: z.string().max(200).optional(),
});

const planned = z.strictObject({
  source: z.string(),
  id: z.string(),
  /** Of the silence as it was when it was shown: another one is not ended by this plan. */
  matchers: z.array(matcherSchema.extend({ op: z.enum(['=', '!=', '=~', '!~']) })),
  ends_at: z.iso.datetime(),
  created_by: z.string(),
});

export const expireSilence: WriteTool = {
  name: 'expire_silence',
  description:
    'Proposes to end a silence now. The user or an operator may have to approve it first; do not claim that it is done unless the result says so.',
  inputSchema: schemaOf(input),
  readOnly: false,
  async plan(args, ctx, signal): Promise<WritePlan> {
    const { id, source: wanted } = parseInput(input, args);
    const { answers, failures } = await ctx.reads.silences(signal);
    const named = answers
      .flatMap(({ value }) => value)
      .filter((one) => one.id === id && (wanted === undefined || one.source === wanted));
    const sourceOf = (one: Silence): Source | undefined =>
      ctx.reads.sources.all.find(({ name }) => name === one.source);
    const found = named.find((one) => sourceOf(one)?.silenceWrites !== undefined);
    const refusing = named.flatMap((one) => sourceOf(one) ?? []);
    if (found === undefined) throwRefusal(refusing);
    if (found === undefined && failures.length > 0) {
      const away = failures.map(({ error }) => error);
      throw new ToolInputError({ code: 'silence_unseen', failures: away });
    }
    if (found === undefined) {
      throw new ToolInputError({ code: 'no_silence', id: cleanText(id, 100) });
    }
    if (found.state === 'expired') {
      throw new ToolInputError({ code: 'silence_ended' });
    }
    const may = await sourceOf(found)
      ?.silenceWrites?.mayExpire?.(id, signal)
      .catch((error: unknown): never => {
        if (!(error instanceof SourceError)) throw error;
        throw new ToolInputError({ code: 'source', error });
      });
    if (may === false) throw new ToolInputError({ code: 'no_mute_right', source: found.source });
    const { redactor } = ctx.reads.sources;
    const matchers = shownMatchers(found.matchers, redactor);
    return {
      tool: expireSilence.name,
      args: {
        source: found.source,
        id: found.id,
        matchers: [...matchers],
        ends_at: new Date(found.endsAt).toISOString(),
        created_by: cleanText(redactor.hide(found.createdBy), 200),
      },
      summary: `end the silence ${cleanText(found.id, 100)} in ${found.source} for ${showMatchers(matchers)}`,
    };
  },
  factsOf(args): PlanFacts {
    return { matchers: parseInput(planned, args).matchers, dangers: [] };
  },
  tell(args, words, at) {
    const plan = parseInput(planned, args);
    return words.expireSilence({
      id: plan.id,
      source: plan.source,
      matchers: plan.matchers.map((one) => showMatchers([one])),
      until: at(Date.parse(plan.ends_at)),
      by: plan.created_by,
    });
  },
  async affected(_args, ctx, signal): Promise<Affected> {
    const { failures } = await ctx.reads.silences(signal);
    return { away: failures.map(({ error }) => error) };
  },
  async carryOut(args, ctx, words): Promise<Deed> {
    const plan = parseInput(planned, args);
    const source = ctx.reads.sources.all.find(({ name }) => name === plan.source);
    if (source?.silenceWrites === undefined) return { outcome: 'refused', text: words.noSource };
    try {
      const now = await find(source, plan.id);
      if (now === undefined || now.state === 'expired') {
        return { outcome: 'refused', text: words.alreadyExpired };
      }
      const matchers = shownMatchers(now.matchers, ctx.reads.sources.redactor);
      if (showMatchers(matchers) !== showMatchers(plan.matchers)) {
        return { outcome: 'refused', text: words.changed };
      }
    } catch (error) {
      // Only a read has failed.
      if (!(error instanceof SourceError)) throw error;
      return { outcome: 'refused', text: words.failed(error) };
    }
    try {
      await source.silenceWrites.expire(plan.id);
      return { outcome: 'done', text: words.expired(cleanText(plan.id, 100), source.name) };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (isUndone(error)) return { outcome: 'refused', text: words.failed(error) };
      return await lookAgain(source, plan.id, error, words);
    }
  },
  async lookBack(args, { ctx, words, at }): Promise<Looked> {
    const plan = parseInput(planned, args);
    const source = ctx.reads.sources.all.find(({ name }) => name === plan.source);
    if (source === undefined) return { outcome: 'unknown' };
    const now = await find(source, plan.id);
    const seen = { id: cleanText(plan.id, 100), source: source.name, at: at(Date.now()) };
    return now === undefined || now.state === 'expired'
      ? { outcome: 'done', text: words.foundEnded(seen) }
      : { outcome: 'unknown', text: words.foundActive(seen) };
  },
};

async function lookAgain(
  source: Source,
  id: string,
  error: SourceError,
  words: WriteWords,
): Promise<Deed> {
  try {
    const now = await find(source, id);
    if (now === undefined || now.state === 'expired') {
      return { outcome: 'done', text: words.expired(cleanText(id, 100), source.name) };
    }
    return { outcome: 'unknown', text: words.unsure(error, 'still') };
  } catch {
    return { outcome: 'unknown', text: words.unsure(error, 'unseen') };
  }
}

async function find(source: Source, id: string): Promise<Silence | undefined> {
  const silences = (await source.silences?.list(AbortSignal.timeout(LOOK_MS))) ?? [];
  return silences.find((one) => one.id === id);
}
