import { z } from 'zod';
import { cleanText } from '../sources/clean-text.js';
import type { Redactor } from '../llm/redactor.js';
import { isUndone, SourceError } from '../sources/source-error.js';
import type { JsonObject } from '../../domain/a2a.js';
import type { LabelSet, MadeSilence, NewSilence, Source } from '../sources/source.types.js';
import { isBroad } from '../writes/policy.js';
import type { Danger, PlanFacts, WritePlan } from '../writes/write-plan.js';
import type { Affected, WriteContext, WriteTool } from '../writes/write-tool.js';
import { LOOK_MS } from '../writes/look-back.js';
import type { Deed, Looked } from '../writes/write-desk.js';
import type { WriteWords } from '../writes/write-words.js';
import {
  checkMatchers,
  fits,
  matcherSchema,
  showMatchers,
  silencingSource,
} from './silence-plan.js';
import { parseInput, schemaOf, ToolInputError, type ToolContext } from './tool.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const LONGEST_DAYS = 30;

const input = z.strictObject({
  matchers: z.array(matcherSchema).min(1).max(20).describe('All must hold; be specific'),
  duration_minutes: z
    .int()
    .min(1)
    .max(LONGEST_DAYS * 24 * 60)
    .optional()
    .describe('From now on; default 60'),
  ends_at: z.iso.datetime({ offset: true }).optional().describe('Instead of a duration'),
  comment: z.string().max(300).default('').describe('Why'),
  source: z.string().max(200).optional().describe('Only needed where several take silences'),
});

/** What is stored, shown and carried out. */
const planned = z.strictObject({
  source: z.string(),
  matchers: z.array(matcherSchema.extend({ op: z.enum(['=', '!=', '=~', '!~']) })),
  planned_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
  created_by: z.string(),
  comment: z.string(),
  /**
   * It fits a great part of what fires there now; named as older versions, which take plans of this one
   * over during an upgrade, know it.
   */
  fits_all: z.literal(true).optional(),
  /** Of a source where a silence is more than its matchers. */
  scope: z.record(z.string(), z.json()).optional(),
  covers: z
    .strictObject({
      where: z.string(),
      broad: z.boolean(),
      /** Alerts that fire now, as the source itself tells. */
      count: z.int(),
      some: z.array(z.string()),
    })
    .optional(),
});
type Covers = NonNullable<z.infer<typeof planned>['covers']>;

/** So many alerts may be silenced by a mere yes, even if nothing else fires. */
const A_FEW = 5;
/** Beyond a few: this share of what fires there and is heard leaves too little to be seen by. */
const GREAT_SHARE = 0.5;
/** So many are a great part whatever else fires: nobody has looked at each of them. */
const MANY = 50;
/** Alerts that are named in a plan. */
const MOST_NAMED = 5;
const NAME_CHARS = 200;

export type CreateSilenceArgs = z.input<typeof input>;

export const createSilence: WriteTool = {
  name: 'create_silence',
  description:
    'Proposes a silence for alerts at an alert router. The user or an operator may have to approve it first; do not claim that it is done unless the result says so.',
  inputSchema: schemaOf(input),
  readOnly: false,
  async plan(args, ctx, signal): Promise<WritePlan> {
    const { matchers, comment, source: wanted, ...when } = parseInput(input, args);
    const ends = endOf(when, ctx.now);
    const { redactor } = ctx.reads.sources;
    checkMatchers(matchers, redactor);
    const source = await silencingSource(wanted, matchers, ctx, signal);
    const { user, taskId } = ctx.owner;
    const why = redactor.hide(cleanText(comment, 300));
    const scoped = await scopeIn(source, matchers, redactor, signal);
    const isGreat =
      (scoped?.covers.count ?? 0) >= MANY || (await fitsMuch(source, matchers, ctx, signal));
    const plan = {
      source: source.name,
      matchers: matchers.map(({ name, op, value }) => ({ name, op, value })),
      planned_at: new Date(ctx.now).toISOString(),
      ends_at: new Date(ends).toISOString(),
      created_by: cleanText(user, 200),
      comment: `${why === '' ? '' : `${why} `}(${cleanText(user, 200)} through Nightjar, task ${taskId})`,
      ...(isGreat ? { fits_all: true as const } : {}),
      ...scoped,
    };
    const where =
      scoped === undefined
        ? ''
        : `, in ${scoped.covers.where} (${String(scoped.covers.count)} ${scoped.covers.count === 1 ? 'alert' : 'alerts'} now)`;
    return {
      tool: createSilence.name,
      args: plan,
      summary: `create a silence in ${source.name} for ${showMatchers(plan.matchers)} until ${plan.ends_at}, by ${plan.created_by}${where}`,
    };
  },
  factsOf(args): PlanFacts {
    const plan = parseInput(planned, args);
    const { matchers, planned_at: from, ends_at: to, covers, fits_all: isGreat } = plan;
    const lasts = Date.parse(to) - Date.parse(from);
    const dangers: Danger[] = [];
    if (isBroad(matchers) || covers?.broad === true || isGreat === true) dangers.push('broad');
    if (lasts > DAY) dangers.push('long');
    return { matchers, lasts, dangers };
  },
  tell(args, words, at) {
    const plan = parseInput(planned, args);
    const [from, to] = [Date.parse(plan.planned_at), Date.parse(plan.ends_at)];
    return words.createSilence({
      source: plan.source,
      matchers: plan.matchers.map((one) => showMatchers([one])),
      until: at(to),
      lasts: to - from,
      by: plan.created_by,
      comment: plan.comment,
      ...(plan.covers === undefined ? {} : { covers: plan.covers }),
    });
  },
  async affected(args, ctx, signal): Promise<Affected> {
    const { matchers, source, covers } = parseInput(planned, args);
    const { answers, failures } = await ctx.reads.alerts(signal);
    const away = failures.map(({ error }) => error);
    const own = answers.find((answer) => answer.source.name === source);
    // Of a mute the source's own word stands in the plan.
    if (covers !== undefined || own === undefined) return { away };
    return { count: own.value.filter(fits(matchers)).length, away };
  },
  async carryOut(args, ctx, words): Promise<Deed> {
    const plan = parseInput(planned, args);
    const source = sourceOf(plan.source, ctx);
    const now = Date.now();
    const silence = silenceOf(plan, now);
    if (source?.silenceWrites === undefined) return { outcome: 'refused', text: words.noSource };
    if (silence.endsAt <= now) return { outcome: 'refused', text: words.endsBefore };
    try {
      const id = await source.silenceWrites.create(silence);
      return { outcome: 'done', text: words.silenced(cleanText(id, 100), source.name) };
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (isUndone(error)) return { outcome: 'refused', text: words.failed(error) };
      return await lookFor(silence, source, error, words);
    }
  },
  async lookBack(args, { ctx, words, at }): Promise<Looked> {
    const plan = parseInput(planned, args);
    const source = sourceOf(plan.source, ctx);
    if (source === undefined) return { outcome: 'unknown' };
    // When it began nobody knows any more.
    const silence = silenceOf(plan, Date.parse(plan.planned_at));
    const made = await madeOf(silence, source, AbortSignal.timeout(LOOK_MS));
    const seen = { source: source.name, at: at(Date.now()) };
    return made === undefined
      ? { outcome: 'unknown', text: words.lookedFor(seen) }
      : { outcome: 'done', text: words.found({ ...seen, ...made, id: cleanText(made.id, 100) }) };
  },
};

function silenceOf(plan: z.infer<typeof planned>, startsAt: number): NewSilence {
  const { matchers, created_by: createdBy, comment, ends_at: ends, scope } = plan;
  const silence = { matchers, startsAt, endsAt: Date.parse(ends), createdBy, comment };
  return { ...silence, ...(scope === undefined ? {} : { scope }) };
}

function endOf(
  when: { readonly duration_minutes?: number | undefined; readonly ends_at?: string | undefined },
  now: number,
): number {
  if (when.ends_at !== undefined && when.duration_minutes !== undefined) {
    throw new ToolInputError({ code: 'one_end' });
  }
  const ends =
    when.ends_at === undefined
      ? now + (when.duration_minutes ?? 60) * MINUTE
      : Date.parse(when.ends_at);
  if (ends <= now) throw new ToolInputError({ code: 'end_is_past' });
  if (ends > now + LONGEST_DAYS * DAY) {
    throw new ToolInputError({ code: 'silence_too_long', days: LONGEST_DAYS });
  }
  return ends;
}

/** Would it hide a great part of what fires there now and is heard? */
async function fitsMuch(
  source: Source,
  matchers: NewSilence['matchers'],
  ctx: ToolContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { answers } = await ctx.reads.alerts(signal);
  const own = answers.find((answer) => answer.source.name === source.name)?.value ?? [];
  const heard = own.filter(({ state }) => state === 'active');
  const hidden = heard.filter(fits(matchers)).length;
  return hidden >= MANY || (hidden > A_FEW && hidden >= heard.length * GREAT_SHARE);
}

/** What the source makes of the matchers, for the plan; undefined where they are all there is. */
async function scopeIn(
  { name: source, silenceWrites }: Source,
  matchers: NewSilence['matchers'],
  redactor: Redactor,
  signal: AbortSignal,
): Promise<{ readonly scope: JsonObject; readonly covers: Covers } | undefined> {
  if (silenceWrites?.scope === undefined) return undefined;
  const told = await silenceWrites.scope(matchers, signal).catch((error: unknown): never => {
    if (!(error instanceof SourceError)) throw error;
    throw new ToolInputError({ code: 'source', error });
  });
  if ('isForbidden' in told) throw new ToolInputError({ code: told.refused, source });
  if ('refused' in told) throw new ToolInputError(told.refused);
  const { scope, where, isBroad: broad, alerts } = told;
  const some = alerts
    .slice(0, MOST_NAMED)
    .map(({ labels }) => cleanText(redactor.hide(nameOf(labels)), NAME_CHARS));
  return { scope, covers: { where: cleanText(where, 300), broad, count: alerts.length, some } };
}

function nameOf(labels: LabelSet): string {
  const { alertname = '', severity: _severity, busigroup: _group, ...rest } = labels;
  const more = Object.entries(rest).map(([name, value]) => `${name}=${value}`);
  return more.length === 0 ? alertname : `${alertname} (${more.join(', ')})`;
}

/** Nobody knows what became of the request; its comment, which names the task, may be there. */
async function lookFor(
  silence: NewSilence,
  source: Source,
  error: SourceError,
  words: WriteWords,
): Promise<Deed> {
  try {
    const made = await madeOf(silence, source, AbortSignal.timeout(LOOK_MS));
    if (made?.hasEnded === false) {
      return { outcome: 'done', text: words.silenced(cleanText(made.id, 100), source.name) };
    }
    return { outcome: 'unknown', text: words.unsure(error, 'absent') };
  } catch {
    return { outcome: 'unknown', text: words.unsure(error, 'unseen') };
  }
}

async function madeOf(
  silence: NewSilence,
  { silences, silenceWrites }: Source,
  signal: AbortSignal,
): Promise<MadeSilence | undefined> {
  if (silenceWrites?.find !== undefined) return silenceWrites.find(silence, signal);
  if (silences === undefined) throw new Error('bug: silences that cannot be read');
  const { createdBy, comment, endsAt, matchers } = silence;
  const own = (await silences.list(signal)).filter(
    (one) => one.createdBy === createdBy && one.comment === comment,
  );
  // One that somebody has ended says when that was.
  const found =
    own.find((one) => one.state !== 'expired' && one.endsAt === endsAt) ??
    own.find((one) => one.state === 'expired' && isAbout(one.matchers, matchers));
  return found === undefined ? undefined : { id: found.id, hasEnded: found.state === 'expired' };
}

/** The same matchers, in whatever order the source has them. */
function isAbout(one: NewSilence['matchers'], other: NewSilence['matchers']): boolean {
  const told = (matchers: NewSilence['matchers']): string =>
    matchers
      .map((matcher) => showMatchers([matcher]))
      .sort()
      .join();
  return told(one) === told(other);
}

function sourceOf(name: string, ctx: WriteContext | ToolContext): Source | undefined {
  return ctx.reads.sources.all.find((source) => source.name === name);
}
