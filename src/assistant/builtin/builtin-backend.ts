import type { AssistantBackend, Frame, Meter, Turn } from '../assistant-backend.js';
import type { WritesConfig } from '../../config/config.types.js';
import { agentWish, askAgent, unknownAgent } from '../remote/ask-agent.js';
import { remoteWordsFor } from '../remote/remote-words.js';
import type { TenantRemotes } from '../remote/tenant-remotes.js';
import type { TenantSources } from '../sources/tenant-sources.js';
import { ToolInputError } from '../tools/tool.js';
import { TurnWrites } from '../writes/carry-out.js';
import type { WriteDesk } from '../writes/write-desk.js';
import { plain } from './answer/markdown.js';
import type { Words } from './answer/words.js';
import { ENGLISH_WORDS } from './answer/words-en.js';
import { CHINESE_WORDS } from './answer/words-zh.js';
import { converse } from './converse.js';
import { chartData } from './handlers/metric-chart.js';
import { memoryData } from './memory.js';
import { cutUp, LONGEST_QUESTION } from './parse/question.js';
import { Vocabulary } from './parse/vocabulary.js';
import { isHan } from './text/normalise.js';
import { isTimezone } from './time/zoned.js';
import { ToolsSpentError, TurnRun } from './turn-run.js';

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
    private readonly writes?: WritesConfig,
    /** Other agents, which a message may ask for by name. */
    private readonly remotes?: TenantRemotes,
  ) {}

  async *run(
    turn: Turn,
    signal: AbortSignal,
    desk?: WriteDesk,
    meter?: Meter,
  ): AsyncIterable<Frame> {
    signal.throwIfAborted();
    const words = wordsFor(turn);
    const zone = turn.timezone !== undefined && isTimezone(turn.timezone) ? turn.timezone : 'UTC';
    const now = this.now();
    const { writes } = this;
    const sources = this.sources.seenBy(turn);
    const scene = { turn, sources, writes, desk, signal, now };
    const { remotes } = this;
    const agents = remotes?.agentNames ?? [];
    const wish = agentWish(turn.text, agents);
    if (wish !== undefined && remotes !== undefined) {
      const short = await meter?.take('tools', 1);
      if (short !== undefined) yield { kind: 'fail', reason: words.toolsSpent(short.whose) };
      else yield* askAgent(wish, { ...scene, remotes });
      return;
    }
    const nobody = unknownAgent(turn.text, agents);
    if (nobody !== undefined) {
      yield* deltas(remoteWordsFor(turn.lang, turn.text).noAgent(nobody, agents));
      return;
    }
    const desks = new TurnWrites(scene);
    const run = new TurnRun(
      turn,
      signal,
      words,
      zone,
      now,
      sources,
      desks,
      meter,
      undefined,
      agents,
    );
    try {
      const { blocks, memory, chart } = yield* converse(run);
      yield* deltas([...blocks, ...remarks(turn, words)].join('\n\n'));
      if (memory !== undefined) yield { kind: 'memory', data: memoryData(memory) };
      else if (chart !== undefined) yield { kind: 'memory', data: chartData(chart) };
    } catch (error) {
      if (error instanceof ToolsSpentError) {
        yield { kind: 'fail', reason: words.toolsSpent(error.short.whose) };
        return;
      }
      if (!(error instanceof ToolInputError)) throw error;
      yield* deltas(words.badInput(plain(words.toolRefusal(error), 500)));
    }
  }
}

function wordsFor({ lang, text }: Turn): Words {
  if (lang !== undefined && /^zh(?:[-_]|$)/i.test(lang)) return CHINESE_WORDS;
  if (lang !== undefined && /^en(?:[-_]|$)/i.test(lang)) return ENGLISH_WORDS;
  return isChinese(text) ? CHINESE_WORDS : ENGLISH_WORDS;
}

const FULL_WIDTH = '，。？！：；＝、';

/** Names do not count, only our own words: a Chinese name in an English sentence changes nothing. */
function isChinese(text: string): boolean {
  const { segments } = cutUp(text, new Vocabulary([]), { now: 0, zone: 'UTC' });
  const spoken = segments.filter(
    (one) => one.concepts.size > 0 && one.kind !== 'quoted' && /\p{L}/u.test(one.text),
  );
  const chinese = spoken.filter((one) => Array.from(one.text).some(isHan)).length;
  if (spoken.length === 0) return Array.from(text).some((c) => isHan(c) || FULL_WIDTH.includes(c));
  return chinese > 0 && chinese >= spoken.length - chinese;
}

/** What has to be said about how the answer is given. */
function remarks({ lang, timezone, text }: Turn, words: Words): readonly string[] {
  const isKnown = lang === undefined || lang === '' || /^(?:en|zh)(?:[-_]|$)/i.test(lang);
  const isZone = timezone === undefined || timezone === '' || isTimezone(timezone);
  return [
    ...(isKnown ? [] : [words.otherLanguage(plain(lang, 20))]),
    ...(isZone ? [] : [words.badTimezone(plain(timezone, 60))]),
    ...(text.length > LONGEST_QUESTION ? [words.tooLong(LONGEST_QUESTION)] : []),
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
