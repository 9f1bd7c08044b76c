import type { Silence } from '../../sources/source.types.js';
import { createSilence, type CreateSilenceArgs } from '../../tools/create-silence.tool.js';
import { expireSilence } from '../../tools/expire-silence.tool.js';
import { getAlert } from '../../tools/get-alert.tool.js';
import type { Clause, Matcher } from '../../tools/label-matcher.js';
import { showMatchers } from '../../tools/silence-plan.js';
import { ToolInputError } from '../../tools/tool.js';
import type { TurnWrites } from '../../writes/carry-out.js';
import { WRITE_TOOLS } from '../../tools/write-registry.js';
import type { WriteTool } from '../../writes/write-tool.js';
import { lackOf } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import { type Question, readAgain } from '../parse/question.js';
import type { Vocabulary } from '../parse/vocabulary.js';
import { unquoted } from '../text/atoms.js';
import { durationAt } from '../time/duration.js';
import type { Answer, Handling, TurnRun } from '../turn-run.js';

type SilenceMatchers = CreateSilenceArgs['matchers'];

const MINUTE = 60_000;
const END =
  /\b(?:expire|unsilence|unmute)\b|\b(?:remove|delete|cancel|stop|end|lift|drop|take off|clear)\b.*\b(?:silences?|mutes?)\b|(?:取消|解除|删除|删掉|撤[销掉下除回]|结束|停止|关闭|关掉).*(?:静默|屏蔽|静音)|(?:静默|屏蔽|静音).*(?:取消|解除|删除|删掉|撤[销掉下除回]|结束|停止|关掉)/iu;
const BEGIN =
  /\b(?:silence|mute|snooze|suppress)\b|\b(?:don['’]?t|do not|stop)\s+(?:page|paging|alert|alerting|bother|bothering|notify|notifying|wake)\b|静默|屏蔽|静音|抑制|(?:别|不要|免)再?(?:打扰|通知|报警|告警|吵|叫)/iu;
/** As it is written: `instance=~"db-.*"`. */
const MATCHER = /([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*(["“”'](?:[^"“”'\\]|\\.)*["“”'])/gu;
const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/iu;
/** Of a mute of n9e. */
const NUMBER = /\b(?:silence|mute)\s+#?(\d{1,12})\b|(?:静默|屏蔽|静音)\s*#?(\d{1,12})(?!\d)/iu;
const MOST_SILENCES = 5;
/** `for -5 minutes` */
const NEGATIVE =
  /(?<![\p{L}\p{N}_"'.:])[-−–]\s?\d+(?:\.\d+)?\s*(?:(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|months?)(?![\p{L}\p{N}_-])|[秒分天日周月]|个?(?:小时|钟头|星期|礼拜|月))/iu;
/** It asks whether to, and orders nothing. */
const ASKS_WHETHER =
  /^[^\p{L}]*(?:(?:so|ok|hi|hello|hey)[,\s]+)?(?:(?:should|shall|must|can|may|could)\s+(?:i|we|one)\b|(?:do|would)\s+(?:i|we|you)\s+(?:have|need|want|think|recommend|suggest|advise)\b|is it (?:ok|okay|safe|wise|a good idea)\b)|(?:要不要|该不该|应不应该|需不需要|能不能不)|(?:是否|应该|该|需要|有必要|可以).*[吗嘛么]?[?？]\s*$|(?:应该|该|需要|有必要).*[吗嘛么]\s*$/iu;

/** `silence X for an hour`, `expire the silence on X`: a plan, which the tenant's policy then decides. */
export async function* answerWrite(run: TurnRun, said: Question, vocabulary: Vocabulary): Handling {
  const { writes } = run;
  const question = withoutDuration(run, said, vocabulary);
  const text = run.turn.text;
  const tool = END.test(text) ? expireSilence : BEGIN.test(text) ? createSilence : undefined;
  if (writes === undefined || tool === undefined || !writes.allows(tool)) {
    const isAble = writes !== undefined && WRITE_TOOLS.some((one) => writes.allows(one));
    return {
      blocks: [
        isAble
          ? run.words.silencesOnly(writes.allows(createSilence), writes.allows(expireSilence))
          : run.words.readOnly,
        ...understood(run, { task: 'write' }),
      ],
    };
  }
  if (ASKS_WHETHER.test(text)) return { blocks: [writes.words.notOrdered] };
  try {
    return tool === expireSilence
      ? yield* endSilence(run, question, writes)
      : yield* beginSilence(run, question, said, writes);
  } catch (error) {
    if (!(error instanceof ToolInputError)) throw error;
    return { blocks: [writes.words.cannotPlan(run.words.toolRefusal(error))] };
  }
}

async function* beginSilence(
  run: TurnRun,
  question: Question,
  said: Question,
  writes: TurnWrites,
): Handling {
  const { words } = writes;
  const matchers = yield* matchersOf(run, question, writes);
  if ('blocks' in matchers) return matchers;
  const times = timesOf(run, said);
  if (times === undefined) {
    return { blocks: [words.whichTime(question.timeTexts.concat(leftOut(question)).join(', '))] };
  }
  return yield* carry(run, writes, createSilence, { matchers, ...times });
}

async function* endSilence(run: TurnRun, question: Question, writes: TurnWrites): Handling {
  const { words } = writes;
  const [, number, numberToo] = NUMBER.exec(run.turn.text) ?? [];
  const id = ID.exec(run.turn.text)?.[0].toLowerCase() ?? number ?? numberToo;
  const { answers, failures } = await run.reads.silences(run.signal);
  const live = answers.flatMap(({ value }) => value).filter((one) => one.state !== 'expired');
  const away = failures.map(({ error }) => words.failure(error)).join('; ');
  if (id !== undefined) {
    const isSeen = live.some((one) => one.id === id);
    if (!isSeen && away !== '') return { blocks: [words.unseen(away)] };
    return yield* carry(run, writes, expireSilence, { id });
  }
  const wanted = wordsOf(question, run.turn.text);
  const fitting = live.filter((one) => wanted.every((word) => mentions(one, word)));
  const [only, ...more] = wanted.length === 0 ? live : fitting;
  if (only === undefined) {
    const told = words.noSilence(wanted.map((one) => code(one)).join(', '));
    return { blocks: [away === '' ? told : words.unseen(away)] };
  }
  // `expire the second one`: of which list? Only an id tells.
  if (more.length === 0 && question.references.positions.length === 0) {
    return yield* carry(run, writes, expireSilence, { id: only.id, source: only.source });
  }
  const shown = [only, ...more]
    .slice(0, MOST_SILENCES)
    .map((one) => `- ${code(one.id)} ${code(showMatchers(one.matchers), 300)}`);
  const missing = away === '' ? [] : [run.words.missing(away)];
  return { blocks: [words.whichSilence(more.length + 1), shown.join('\n'), ...missing] };
}

/** What is to be silenced; or the answer when that cannot be told. */
async function* matchersOf(
  run: TurnRun,
  question: Question,
  { words }: TurnWrites,
): Handling<SilenceMatchers | Answer> {
  const written = [...run.turn.text.matchAll(MATCHER)].map(
    ([, name = '', op = '=', value = '']) => ({
      name,
      op: op as Matcher['op'] & SilenceMatchers[number]['op'],
      value: unquoted(value),
    }),
  );
  const { conditions, references, sentence } = question;
  if (written.length > 0) {
    // `alertname="X" in prod`: what is written out is not all that was said.
    const values = conditions.where.flatMap((clause) =>
      ('any' in clause ? clause.any.slice(0, 1) : [clause]).flatMap((one) => one.values),
    );
    const said = values.length + conditions.unmatched.length;
    return said <= written.length ? written : { blocks: [words.which] };
  }
  const { memory } = run;
  const points = references.positions.length > 0 || sentence.any('it') || sentence.any('them');
  // `HighErrorRate and the second one`, `the newest in prod`: no matchers say exactly that.
  const isPicked = references.positions.length > 0 || references.order !== undefined;
  const isSome = isPicked || references.limit !== undefined;
  const isNamed = conditions.where.length + conditions.unmatched.length > 0;
  if (isNamed && isSome) return { blocks: [words.which] };
  if (points && conditions.where.length === 0 && memory !== undefined) {
    return yield* listedMatchers(run, question, words);
  }
  const unknown = [...conditions.unmatched.map(({ text }) => text), ...leftOut(question)];
  if (unknown.length > 0) {
    const { failures } = await run.reads.alerts(run.signal);
    const away = failures.map(({ error }) => words.failure(error)).join('; ');
    if (away !== '') return { blocks: [words.unseen(away)] };
    return { blocks: [words.nothingLike(unknown.map((text) => code(text)).join(', '))] };
  }
  if (conditions.where.length === 0) {
    const all = sentence.any('all') && !points;
    return all ? [{ name: 'alertname', op: '=~', value: '.+' }] : { blocks: [words.which] };
  }
  const matchers = conditions.where.map(matcherOf);
  const clear = matchers.filter((one) => one !== undefined);
  return clear.length === matchers.length
    ? clear
    : {
        blocks: [
          words.nothingLike(
            code(question.conditions.where.map((one) => JSON.stringify(one)).join(' ')),
          ),
        ],
      };
}

/** Everything that was said and that no matcher says: a silence must never be wider than what was asked for. */
function leftOut({ ignored, unsure, references }: Question): readonly string[] {
  const { threshold } = references;
  const compared = threshold === undefined ? [] : [threshold.part.text];
  return [...new Set([...ignored, ...unsure, ...compared])];
}

/** `silence it`, `mute the second one`: exactly that alert, by all of its labels. */
async function* listedMatchers(
  run: TurnRun,
  { references, sentence }: Question,
  words: TurnWrites['words'],
): Handling<SilenceMatchers | Answer> {
  const listed = run.memory?.listed ?? [];
  const [position] = references.positions;
  const focus = run.memory?.focus ?? (listed.length === 1 ? 0 : undefined);
  const place =
    position === undefined ? focus : position < 0 ? listed.length + position : position - 1;
  const known = place === undefined ? undefined : listed[place];
  const isMany =
    references.positions.length > 1 ||
    (position === undefined && sentence.any('them') && listed.length > 1);
  if (known === undefined || isMany) return { blocks: [words.which] };
  const { source, fingerprint } = known;
  const found = yield* run.call(getAlert, { source, fingerprint });
  const [alert] = found.alerts;
  if (alert === undefined) {
    const lack = lackOf(run, found);
    return { blocks: [lack === '' ? run.words.gone(code(known.name)) : words.unseen(lack)] };
  }
  // The row is cut for showing; the silence must be exact.
  const { answers } = await run.reads.alerts(run.signal);
  const whole = answers
    .flatMap(({ value }) => value)
    .find((one) => one.source === source && one.fingerprint === fingerprint);
  return Object.entries(whole?.labels ?? {}).map(([name, value]) => ({
    name,
    op: '=' as const,
    value,
  }));
}

/** n9e has the name of an alert's rule among its tags as well: that is one thing, said twice. */
function nameAlone(clause: Clause): Clause {
  if (!('any' in clause)) return clause;
  const names = clause.any.filter(({ label }) => label !== 'rulename');
  const [only, ...more] = names;
  return only?.label === 'alertname' && more.length === 0 ? only : clause;
}

function matcherOf(given: Clause): SilenceMatchers[number] | undefined {
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

function escaped(value: string): string {
  return value.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}

/** `静默 X 一小时`: a duration that nothing introduces is none of the conditions. */
function withoutDuration(run: TurnRun, said: Question, vocabulary: Vocabulary): Question {
  const { positions } = said.references;
  const isClear = said.conditions.unmatched.length + leftOut(said).length === 0;
  // 静默第二条 30 分钟: the number of minutes is no second place.
  if (isClear && positions.length <= 1) return said;
  const { atoms } = said;
  for (let at = 0; at < atoms.length; at += 1) {
    const read = durationAt(atoms, at, false);
    if (read === undefined) continue;
    const rest = [...atoms.slice(0, at), ...atoms.slice(at + read.length)];
    return readAgain({ ...said, atoms: rest }, vocabulary, run);
  }
  return said;
}

/** Undefined when a time was given that is not understood: another one must not stand in for it. */
function timesOf(
  run: TurnRun,
  question: Question,
): Pick<CreateSilenceArgs, 'duration_minutes' | 'ends_at'> | undefined {
  const { time, atoms } = question;
  if (time?.before !== undefined && time.before > run.now) {
    return { ends_at: new Date(time.before).toISOString() };
  }
  if (NEGATIVE.test(run.turn.text)) return undefined;
  for (const bare of [false, true]) {
    for (let at = 0; at < atoms.length; at += 1) {
      const read = durationAt(atoms, at, bare);
      if (read !== undefined) {
        if (!(read.value > 0)) return undefined;
        return { duration_minutes: Math.max(1, Math.round(read.value / MINUTE)) };
      }
    }
  }
  const isSaid =
    question.timeTexts.length > 0 ||
    question.sentence.parts.some((part) => part.time !== undefined);
  return isSaid ? undefined : { duration_minutes: 60 };
}

/** What a silence must mention to be the one that is meant. */
function wordsOf({ conditions }: Question, text: string): readonly string[] {
  const written = [...text.matchAll(MATCHER)].map(([, , , value = '']) => unquoted(value));
  if (written.length > 0) return written;
  const values = conditions.where.flatMap((clause) =>
    ('any' in clause ? clause.any : [clause]).flatMap((one) => one.values),
  );
  return [...values, ...conditions.unmatched.map((one) => one.text.replace(/^[^=]*=/, ''))];
}

function mentions({ matchers, comment, id }: Silence, word: string): boolean {
  const needle = word.toLowerCase();
  return [id, comment, ...matchers.map(({ value }) => value)].some((text) =>
    text.toLowerCase().includes(needle),
  );
}

async function* carry(run: TurnRun, writes: TurnWrites, tool: WriteTool, args: unknown): Handling {
  yield { kind: 'step', text: run.words.calling(tool.name, '') };
  const carried = yield* writes.propose(tool, args);
  if (carried.kind === 'asks') {
    yield carried.frame;
    return { blocks: [] };
  }
  if (carried.outcome === 'unknown') yield { kind: 'fail', reason: carried.text };
  return { blocks: [carried.text] };
}
