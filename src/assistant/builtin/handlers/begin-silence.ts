import { createSilence } from '../../tools/create-silence.tool.js';
import { getAlert } from '../../tools/get-alert.tool.js';
import type { TurnWrites } from '../../writes/carry-out.js';
import { lackOf } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import { matcherOf, type SilenceMatchers } from '../order/matchers-of.js';
import { type OrderEnd, orderTime } from '../order/order-time.js';
import { OTHER_TIME, SILENCING } from '../order/order-words.js';
import { type OrderKind, piecesOf, unexplained } from '../order/unexplained.js';
import { writtenOrder, type WrittenOrder } from '../order/written-labels.js';
import { type Question, readAgain } from '../parse/question.js';
import type { Vocabulary } from '../parse/vocabulary.js';
import type { Answer, Handling, TurnRun } from '../turn-run.js';
import { carry } from './carry-order.js';

/** As long as a silence lasts when nothing was said. */
const DEFAULT: OrderEnd = { duration_minutes: 60 };

/**
 * `silence X for 1h`, `silence team="a" except service="b" for 1h`: proposed when every word of it was
 * understood; what is left over might narrow it, and is named then.
 */
export async function* beginSilence(
  run: TurnRun,
  said: Question,
  writes: TurnWrites,
  vocabulary: Vocabulary,
): Handling {
  const { words } = writes;
  const written = writtenOrder(run.turn.text, run);
  if (written !== undefined) {
    const refused = refusedWritten(written, writes);
    if (refused !== undefined) return refused;
    const { matchers, end = DEFAULT } = written;
    return yield* carry(run, writes, createSilence, { matchers, ...end });
  }
  const time = orderTime(said.atoms, run);
  const isTimed = time.end !== undefined || time.trouble.length > 0;
  const question = isTimed ? readAgain({ ...said, atoms: time.rest }, vocabulary, run) : said;
  if (time.trouble.length > 0) return { blocks: [words.whichTime(time.trouble.join(', '))] };
  const matchers = yield* matchersOf(run, question, writes);
  if ('blocks' in matchers) return matchers;
  return yield* carry(run, writes, createSilence, { matchers, ...(time.end ?? DEFAULT) });
}

function refusedWritten(
  { trouble, left, alternatives, matchers }: WrittenOrder,
  { words }: TurnWrites,
): Answer | undefined {
  if (left.times.length > 0) return { blocks: [words.startsNow(told(left.times))] };
  if (trouble.length > 0) return { blocks: [words.whichTime(trouble.join(', '))] };
  if (left.words.length > 0) return { blocks: [words.leftOver(told(left.words))] };
  if (alternatives.length === 0) return undefined;
  const [first] = alternatives;
  const isOne =
    alternatives.length === matchers.length &&
    alternatives.every(({ name, op }) => name === first?.name && op === '=');
  const values = alternatives.map(({ value }) => value.replace(/[\\^$.|?*+()[\]{}]/g, '\\$&'));
  const joined = isOne ? `${first?.name ?? ''}=~${JSON.stringify(values.join('|'))}` : undefined;
  return { blocks: [words.alternatives(joined)] };
}

/** What is to be silenced; or the answer when that cannot be told. */
async function* matchersOf(
  run: TurnRun,
  question: Question,
  writes: TurnWrites,
): Handling<SilenceMatchers | Answer> {
  const { words } = writes;
  const { conditions, references, sentence, notes } = question;
  const { memory } = run;
  const points = references.positions.length > 0 || sentence.any('it') || sentence.any('them');
  const isNamed = conditions.where.length + conditions.unmatched.length > 0;
  const isPointing = points && !isNamed;
  const kind: OrderKind = isPointing ? 'pointing' : 'silence';
  const left = unexplained(piecesOf(sentence.segments, conditions), kind);
  const missing = conditions.unmatched.map(({ text }) => text);
  const times = [...left.times, ...missing.filter((text) => OTHER_TIME.test(text.toLowerCase()))];
  if (times.length > 0) return { blocks: [words.startsNow(told(asTyped(times, question)))] };
  if (isPointing && left.words.length === 0) {
    if (memory === undefined) return { blocks: [words.which] };
    return yield* listedMatchers(run, question, words);
  }
  const unknown = [...new Set([...missing, ...left.words, ...leftOut(question)])];
  const { failures } = unknown.length > 0 ? await run.reads.alerts(run.signal) : { failures: [] };
  const away = failures.map(({ error }) => words.failure(error)).join('; ');
  if (away !== '') return { blocks: [words.unseen(away)] };
  // What nothing has that fires now cannot be left out, and is no alternative: nothing would say it.
  const unread = notes.filter(({ kind: what }) => what !== 'read' && what !== 'part');
  const lost = unread
    .filter((note) => note.kind !== 'other-label' && !SILENCING.has(note.typed.toLowerCase()))
    .map(({ typed }) => typed);
  const over = [...new Set([...left.words, ...leftOut(question), ...lost])];
  if (over.length > missing.length || (over.length > 0 && missing.length === 0)) {
    return { blocks: [words.leftOver(told(asTyped(over, question)))] };
  }
  if (missing.length > 0) return { blocks: [words.nothingLike(told(asTyped(missing, question)))] };
  // `HighErrorRate and the second one`, `the newest in prod`: no matchers say exactly that.
  const { positions, order, limit } = references;
  if (positions.length > 0 || order !== undefined || limit !== undefined) {
    return { blocks: [words.which] };
  }
  if (conditions.where.length === 0) {
    const all = sentence.any('all') && !points;
    return all ? [{ name: 'alertname', op: '=~', value: '.+' }] : { blocks: [words.which] };
  }
  const matchers = conditions.where.map(matcherOf);
  const clear = matchers.filter((one) => one !== undefined);
  if (clear.length === matchers.length && !conditions.contradictory) return clear;
  const values = conditions.where
    .filter((_, index) => conditions.contradictory || matchers[index] === undefined)
    .flatMap((clause) => ('any' in clause ? clause.any : [clause]).flatMap((one) => one.values));
  return { blocks: [words.ambiguous(told([...new Set(values)]))] };
}

/** What was said, but could not be read as a condition. */
function leftOut({ ignored, unsure, references }: Question): readonly string[] {
  const { threshold } = references;
  const compared = threshold === undefined ? [] : [threshold.part.text];
  return [...new Set([...ignored, ...unsure, ...compared])];
}

/** Words as they were typed: a mended typo may stand in the way just because it was mended. */
function asTyped(texts: readonly string[], { repairs }: Question): readonly string[] {
  return texts.map((text) =>
    repairs.reduce(
      (said, note) =>
        note.kind === 'read'
          ? said
              .split(' ')
              .map((word) => (word === note.readAs ? note.typed : word))
              .join(' ')
          : said,
      text,
    ),
  );
}

function told(words: readonly string[]): string {
  return words.map((text) => code(text)).join(', ');
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
