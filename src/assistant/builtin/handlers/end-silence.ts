import type { Silence } from '../../sources/source.types.js';
import { expireSilence } from '../../tools/expire-silence.tool.js';
import { showMatchers } from '../../tools/silence-plan.js';
import type { TurnWrites } from '../../writes/carry-out.js';
import { code } from '../answer/markdown.js';
import { type Piece, piecesOf, unexplained } from '../order/unexplained.js';
import { matchersIn } from '../order/written-labels.js';
import type { Question } from '../parse/question.js';
import type { Segment } from '../parse/segment.js';
import { isHan } from '../text/normalise.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { carry } from './carry-order.js';

const ID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/iu;
/** Of a mute of n9e. */
const NUMBER = /\b(?:silence|mute)\s+#?(\d{1,12})\b|(?:静默|屏蔽|静音)\s*#?(\d{1,12})(?!\d)/iu;
const MOST_SILENCES = 5;
/** Behind these stands what a silence is about, or whose it is, whatever word that is. */
const OBJECT_OF = /^(?:on|for|of|by|about|from|named|called|with|in)$/;

/** `expire the silence on X`, `… by eve`: the one that every word fits; which one, where several do. */
export async function* endSilence(run: TurnRun, question: Question, writes: TurnWrites): Handling {
  const { words } = writes;
  const { text } = run.turn;
  const [, number, numberToo] = NUMBER.exec(text) ?? [];
  const id = ID.exec(text)?.[0].toLowerCase() ?? number ?? numberToo;
  const { names, times, over } = saidOf(question, text, id);
  const told = (said: readonly string[]): string => said.map((one) => code(one)).join(', ');
  if (times.length > 0) return { blocks: [words.endsNow(told(times))] };
  if (over.length > 0) return { blocks: [words.leftOverEnd(told(over))] };
  const { answers, failures } = await run.reads.silences(run.signal);
  const live = answers.flatMap(({ value }) => value).filter((one) => one.state !== 'expired');
  const away = failures.map(({ error }) => words.failure(error)).join('; ');
  if (id !== undefined) {
    const isSeen = live.some((one) => one.id === id);
    if (!isSeen && away !== '') return { blocks: [words.unseen(away)] };
    if (names.length > 0) return { blocks: [words.leftOverEnd(told(names))] };
    return yield* carry(run, writes, expireSilence, { id });
  }
  const fitting = live.filter((one) => names.every((word) => mentions(one, word)));
  const [only, ...more] = fitting;
  if (only === undefined) {
    return { blocks: [away === '' ? words.noSilence(told(names)) : words.unseen(away)] };
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

interface Said {
  /** What the silence must mention to be the one that is meant. */
  readonly names: readonly string[];
  /** Times: it ends at once, or not at all. */
  readonly times: readonly string[];
  /** Words that may narrow the order, or tie it to a condition. */
  readonly over: readonly string[];
}

function saidOf({ conditions, sentence }: Question, text: string, id: string | undefined): Said {
  const pieces = piecesOf(sentence.segments, conditions);
  const written = matchersIn(text);
  const values = conditions.where.flatMap((clause) =>
    ('any' in clause ? clause.any : [clause]).flatMap((one) => one.values),
  );
  const missing = conditions.unmatched.map((one) => one.text.replace(/^[^=]*=/, ''));
  const known = written.length > 0 ? written.map(({ value }) => value) : [...values, ...missing];
  const left = unexplained(pieces, 'end').segments.filter((one) => !isOfId(one, id));
  const isName = (one: Segment): boolean =>
    one.time === undefined &&
    (one.kind === 'unknown' || one.kind === 'quoted' || isObject(pieces, one));
  return {
    names: [...new Set([...known, ...left.filter(isName).map((one) => one.text)])].filter(
      (name) => name.toLowerCase() !== id && name !== `#${id ?? ''}`,
    ),
    times: left.filter((one) => one.time !== undefined).map((one) => one.text),
    over: sentence.segments
      .filter((one) => conditions.excluded.has(one) || (left.includes(one) && !isName(one)))
      .filter((one) => one.time === undefined)
      .map((one) => one.text),
  };
}

/** `on Nothing`, `by eve`. */
function isObject(pieces: readonly Piece[], one: Segment): boolean {
  const at = pieces.findIndex(({ segment }) => segment === one);
  return one.kind === 'phrase' && OBJECT_OF.test(pieces[at - 1]?.segment.key ?? '');
}

function isOfId({ key }: Segment, id: string | undefined): boolean {
  return id !== undefined && (id.includes(key) || key === `#${id}`);
}

/** As a whole word: the silence of `db-10` is none of `db-1`. */
function mentions({ matchers, comment, id, createdBy }: Silence, word: string): boolean {
  const needle = word.toLowerCase().replace(/[\\^$.|?*+()[\]{}]/g, '\\$&');
  const whole = Array.from(word).some(isHan)
    ? new RegExp(needle, 'iu')
    : new RegExp(`(?<![\\p{L}\\p{N}_-])${needle}(?![\\p{L}\\p{N}_-])`, 'iu');
  return [id, comment, createdBy, ...matchers.map(({ value }) => value)].some((text) =>
    whole.test(text),
  );
}
