import type { AssistantBackend, Frame, Turn } from '../assistant-backend.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import { ToolInputError } from '../tools/tool.js';
import { plain } from './answer/markdown.js';
import type { Words } from './answer/words.js';
import { ENGLISH_WORDS } from './answer/words-en.js';
import { CHINESE_WORDS } from './answer/words-zh.js';
import { converse } from './converse.js';
import { memoryData } from './memory.js';
import { LONGEST_QUESTION } from './parse/question.js';
import { isHan } from './text/normalise.js';
import { isTimezone } from './time/zoned.js';
import { TurnRun } from './turn-run.js';

/** Pieces of this size read well while they stream. */
const DELTA_CHARS = 600;

/**
 * The assistant without a model: it reads questions in English and Chinese by a lexicon and by the
 * labels that are live in the sources, and answers from the sources only. Deterministic: the same
 * question over the same facts gives the same answer.
 */
export class BuiltinBackend implements AssistantBackend {
  readonly readOnly = true;

  constructor(
    private readonly sources: TenantSources,
    private readonly now: () => number = Date.now,
  ) {}

  async *run(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
    signal.throwIfAborted();
    const words = wordsFor(turn);
    const zone = turn.timezone !== undefined && isTimezone(turn.timezone) ? turn.timezone : 'UTC';
    const run = new TurnRun(turn, signal, words, zone, this.now(), this.sources);
    try {
      const { blocks, memory } = yield* converse(run);
      yield* deltas([...blocks, ...remarks(turn, words)].join('\n\n'));
      if (memory !== undefined) yield { kind: 'memory', data: memoryData(memory) };
    } catch (error) {
      if (!(error instanceof ToolInputError)) throw error;
      yield* deltas(words.badInput(plain(error.message, 500)));
    }
  }
}

function wordsFor({ lang, text }: Turn): Words {
  if (lang !== undefined && /^zh(?:[-_]|$)/i.test(lang)) return CHINESE_WORDS;
  if (lang !== undefined && /^en(?:[-_]|$)/i.test(lang)) return ENGLISH_WORDS;
  return isChinese(text) ? CHINESE_WORDS : ENGLISH_WORDS;
}

/** A Chinese name in an English sentence does not make it Chinese. */
function isChinese(text: string): boolean {
  const unquoted = text.replace(/"[^"]*"|`[^`]*`|[\w.-]+\s*(?:!=|=~|!~|=)\s*\S+/g, ' ');
  const han = Array.from(unquoted).filter(isHan).length;
  const words = unquoted.match(/[a-z]{2,}/gi)?.length ?? 0;
  // A Chinese word has about two characters.
  return han > 0 && han / 2 >= words / 2;
}

/** What has to be said about how the answer is given. */
function remarks({ lang, timezone, text }: Turn, words: Words): readonly string[] {
  const isKnown = lang === undefined || lang === '' || /^(?:en|zh)(?:[-_]|$)/i.test(lang);
  const isZone = timezone === undefined || timezone === '' || isTimezone(timezone);
  return [
    ...(isKnown ? [] : [words.otherLanguage(plain(lang, 20))]),
    ...(isZone ? [] : [words.badTimezone(plain(timezone, 60))]),
    ...(text.length > LONGEST_QUESTION ? [words.tooLong] : []),
  ];
}

/** The answer in pieces, cut at line ends. */
function* deltas(text: string): Generator<Frame> {
  let piece = '';
  for (const line of text.split(/(?<=\n)/)) {
    if (piece !== '' && piece.length + line.length > DELTA_CHARS) {
      yield { kind: 'content', text: piece };
      piece = '';
    }
    piece += line;
  }
  if (piece !== '') yield { kind: 'content', text: piece };
}
