import { WRITE_TOOLS } from '../tools/write-registry.js';
import { code } from './answer/markdown.js';
import { understood } from './answer/understood.js';
import { answerAlerts } from './handlers/alerts.js';
import { changesChart, chartFollowUp } from './handlers/chart-follow-up.js';
import { drawWish } from './handlers/metric-chart.js';
import { metricQuestion } from './handlers/metric-question.js';
import { answerNamed, namedQuestion } from './handlers/named-metric.js';
import { answerHelp } from './handlers/help.js';
import { answerQuery } from './handlers/query.js';
import { answerRules } from './handlers/rules.js';
import { answerRunbook, runbookQuestion } from './handlers/runbook.js';
import { answerSilences } from './handlers/silences.js';
import { answerSources } from './handlers/sources.js';
import { answerTargets, asksForAll } from './handlers/targets.js';
import { answerTriage, triageQuestion } from './handlers/triage.js';
import { answerWrite, toolOf } from './handlers/write.js';
import { LEXICON, phraseAtoms } from './lexicon/lexicon.js';
import type { Concept } from './lexicon/concept.js';
import { type LiveWords, readLiveWords } from './live-words.js';
import type { ListMemory } from './memory.js';
import type { Domain } from './parse/intent.js';
import {
  cutUp,
  LONGEST_QUESTION,
  type Question,
  readAgain,
  readQuestion,
  understand,
} from './parse/question.js';
import { splitQuestions } from './parse/split.js';
import { textOf } from './parse/segment.js';
import { Vocabulary } from './parse/vocabulary.js';
import { namedMetricIn } from './metrics/named-metrics.js';
import { findPromql, type FoundPromql } from './promql/find-promql.js';
import type { Answer, Handling, TurnRun } from './turn-run.js';

/** A word of these beside a bare name: `query web alerts` asks for alerts. */
const OTHER_TOPICS: readonly Concept[] = [
  'alert',
  'firing',
  'silence',
  'silenced',
  'target',
  'rule',
];
/** Topics whose answer depends on conditions. */
const READS: readonly Domain[] = ['alerts', 'silences', 'targets', 'rules', 'sources'];
const NOTHING = new Vocabulary([]);

/** From the message to the answer: reads it, finds out what it is about, asks the right handler. */
export async function* converse(run: TurnRun): Handling {
  const text = run.turn.text.slice(0, LONGEST_QUESTION);
  const promql = findPromql(text);
  const isCut = run.turn.text.length > LONGEST_QUESTION;
  if (isCut && promql !== undefined) return { blocks: [run.words.tooLongToRun(LONGEST_QUESTION)] };
  if (promql?.sure === true) return yield* answerQuery(run, promql);
  const first = readQuestion(text, NOTHING, run);
  // What is left out of an order might narrow it.
  if (isCut && first.domain === 'write') {
    return { blocks: [run.words.tooLongToRun(LONGEST_QUESTION)] };
  }
  const talk = namedMetricIn(text) === undefined ? smallTalk(run, first) : undefined;
  // `add web-2` after a chart is no order to change anything else.
  if (talk !== undefined && !changesChart(run, text)) return talk;
  const live = yield* readLiveWords(run, first);
  const cut = cutUp(text, live.all, run);
  const runbook = runbookQuestion(text, live.of('alerts'), run);
  if (runbook !== undefined) return yield* answerRunbook(run, runbook);
  const redrawn = await chartFollowUp(run, text, first, live);
  if (redrawn !== undefined) return yield* drawWish(run, redrawn);
  if (talk !== undefined) return talk;
  const named = namedQuestion(text, first, cut.segments);
  if (named !== undefined) return yield* answerNamed(run, named);
  const metric = yield* metricQuestion(run, text, first, cut.segments, live.all, promql);
  if (metric !== undefined) return yield* answerQuery(run, metric);
  const triage = triageQuestion(text, live.of('alerts'), run);
  if (triage !== undefined) return yield* answerTriage(run, triage, live.of('alerts'));
  if (promql !== undefined && meansQuery(promql, live.all)) {
    return yield* answerQuery(run, promql);
  }
  const whole = { segments: cut.segments, follows: false };
  const split = splitQuestions(cut.segments, first.domain !== 'write');
  const isOrder =
    toolOf(run, text) !== undefined &&
    (first.domain === 'write' ||
      split.some((piece) => understand({ ...cut, ...piece }, live.all).domain === 'write'));
  // Nothing of an order is cut off and answered by itself: it may narrow it.
  const pieces = isOrder ? [whole] : split;
  const blocks: string[] = [];
  let memory: ListMemory | undefined;
  for (const [index, { segments, follows }] of pieces.entries()) {
    const repairs = index === 0 ? cut.repairs : [];
    const read = understand({ atoms: cut.atoms, segments, repairs }, live.all);
    const question = isOrder ? { ...read, domain: 'write' as const } : read;
    // `… and how many are critical`: of those.
    const turn = follows && memory !== undefined ? run.after(memory) : run;
    const answer = yield* answerOne(turn, { ...question, follows }, live);
    const isUnknown = index > 0 && answer.blocks[0] === run.words.unknown;
    const told = isUnknown
      ? [
          run.words.partUnknown(
            code(textOf(cut.atoms, segments[0]?.start ?? 0, segments.at(-1)?.end ?? 0)),
          ),
        ]
      : answer.blocks;
    // Both halves may come to the same: `which are muted, and until when are they`.
    if (blocks.includes(told[0] ?? '')) continue;
    if (index > 0) blocks.push('---');
    blocks.push(...told);
    memory = answer.memory ?? memory;
  }
  return memory === undefined ? { blocks } : { blocks, memory };
}

/** Answers that need no source; undefined when the question may be about something. */
function smallTalk(
  run: TurnRun,
  { domain, sentence, conditions, ignored, unsure }: Question,
): Answer | undefined {
  const { words } = run;
  if (sentence.parts.length === 0 && domain === 'unknown') return { blocks: [words.unknown] };
  if (domain === 'write' && !mayWrite(run)) {
    return { blocks: [words.readOnly, ...understood(run, { task: 'write' })] };
  }
  const isPlain = conditions.unmatched.length + ignored.length + unsure.length === 0;
  if (!isPlain) return undefined;
  if (domain === 'help') return answerHelp(run);
  const TEXTS: Partial<Record<Domain, string>> = {
    greet: words.greeting,
    thanks: words.thanks,
  };
  const text = TEXTS[domain];
  return text === undefined ? undefined : { blocks: [text] };
}

/** Without that there is no need to look at the sources first. */
function mayWrite({ writes }: TurnRun): boolean {
  return writes !== undefined && WRITE_TOOLS.some((tool) => writes.allows(tool));
}

async function* answerOne(run: TurnRun, asked: Question, live: LiveWords): Handling {
  const { words } = run;
  const { domain } = asked;
  const question = READS.includes(domain) ? reread(run, asked, live, domain) : asked;
  if (READS.includes(domain) && question.unsure.length > 0) return answerUnsure(run, question);
  const up = domain === 'alerts' || domain === 'unknown' ? upOrNot(run, asked, live) : undefined;
  if (up !== undefined) return yield* answerTargets(run, up);
  switch (domain) {
    case 'alerts':
      return yield* answerAlerts(run, question, live.of('alerts'));
    case 'silences':
      return yield* answerSilences(run, question);
    case 'targets':
      return yield* answerDown(run, question, live);
    case 'rules':
      return yield* answerRules(run, question);
    case 'sources':
      return yield* answerSources(run, question);
    case 'write':
      return yield* answerWrite(run, reread(run, question, live, 'alerts'), live.of('alerts'));
    case 'help':
      return answerHelp(run);
    case 'greet':
      return { blocks: [words.greeting] };
    case 'thanks':
      return { blocks: [words.thanks] };
    case 'query':
    case 'unknown':
      return yield* answerUnknown(run, question, live);
  }
}

/**
 * `is the batch job up?` where a target is called so, `is everything up?`, and `job batch 都正常吗`
 * where no alert is called so: about targets.
 */
function upOrNot(run: TurnRun, asked: Question, live: LiveWords): Question | undefined {
  const { sentence } = asked;
  const isAsked = sentence.has(0, 'is') || sentence.any('check');
  const isUp = sentence.any('up');
  const isOther = (['alert', 'firing', 'silenced', 'which', 'count'] as const).some((concept) =>
    sentence.any(concept),
  );
  if (!isAsked || isOther || !(isUp || sentence.any('ok'))) return undefined;
  const up = reread(run, asked, live, 'targets');
  const { where, unmatched } = up.conditions;
  if (up.unsure.length > 0) return undefined;
  if (unmatched.length === 0 && where.length > 0 && isUp) return up;
  const ofAlerts = reread(run, asked, live, 'alerts').conditions;
  const fitsAlerts = ofAlerts.where.length > 0 && ofAlerts.unmatched.length === 0;
  if (unmatched.length === 0 && where.length > 0 && !fitsAlerts) return up;
  if (!isUp || fitsAlerts) return undefined;
  // `is cache-99 alive?` where nothing is called so: no target, and no guess about anything else.
  const isPlain = sentence.chinese || sentence.has(sentence.parts.length - 1, 'up');
  const isUnknown = asked.domain === 'unknown' && isPlain && unmatched.length > 0;
  return asksForAll(asked) || isUnknown ? up : undefined;
}

/** Says which words stand in the way of a right answer, and what can be asked about the topic. */
function answerUnsure({ words }: TurnRun, { domain, unsure }: Question): Answer {
  const said = [...new Set(unsure)].slice(0, 8).map((word) => code(word, 60));
  const { alerts, count, detail, silences, targets, sources } = words.topics;
  const near: Partial<Record<Domain, readonly string[]>> = {
    silences: [silences],
    targets: [targets],
    rules: [targets],
    sources: [sources],
  };
  const examples = near[domain] ?? [alerts, count, detail];
  return {
    blocks: [words.unsure(said.join(', ')), examples.map((topic) => `- ${topic}`).join('\n')],
  };
}

/** `is checkout down` is about a target if one is called so, else about alerts. */
async function* answerDown(run: TurnRun, question: Question, live: LiveWords): Handling {
  const asTargets = reread(run, question, live, 'targets');
  if (asTargets.conditions.unmatched.length > 0 && !question.sentence.any('target')) {
    const asAlerts = reread(run, question, live, 'alerts');
    if (asAlerts.conditions.unmatched.length === 0) {
      return yield* answerAlerts(run, asAlerts, live.of('alerts'));
    }
  }
  return yield* answerTargets(run, asTargets);
}

/** A follow-up such as `and the warnings?` names no topic of its own: it continues the list. */
async function* answerUnknown(run: TurnRun, question: Question, live: LiveWords): Handling {
  const { sentence, time } = question;
  const refers =
    sentence.any('them') ||
    sentence.any('more') ||
    sentence.any('follow') ||
    sentence.any('it') ||
    sentence.has(0, 'and');
  const { limit, order } = question.references;
  const asks =
    refers ||
    sentence.any('detail') ||
    sentence.any('count') ||
    sentence.any('since-when') ||
    time !== undefined ||
    limit !== undefined ||
    order !== undefined;
  const continues =
    run.memory !== undefined && asks && question.ignored.length + question.unsure.length === 0;
  if (continues) {
    const again = { ...reread(run, question, live, 'alerts'), follows: true };
    return yield* answerAlerts(run, again, live.of('alerts'));
  }
  return { blocks: [run.words.unknown] };
}

/** The question in the words of one topic only: a target's label is no condition on alerts. */
function reread(run: TurnRun, question: Question, live: LiveWords, domain: Domain): Question {
  const vocabulary = live.of(domain);
  return vocabulary === live.all ? question : readAgain(question, vocabulary, run);
}

/** Is the bare word after `query` a metric rather than something we know by another name? */
function meansQuery({ expr, rest }: FoundPromql, vocabulary: Vocabulary): boolean {
  // `rack == 12` is a condition.
  if (vocabulary.isLabel(/^[\w:]+/.exec(expr)?.[0] ?? '')) return false;
  const atoms = phraseAtoms(expr);
  const isOurs = LEXICON.get(atoms) !== undefined && expr !== 'up';
  const isLive = vocabulary.mentions.get(atoms) !== undefined;
  if (isOurs || (isLive && expr !== 'up')) return false;
  const { sentence } = readQuestion(rest, NOTHING, { now: 0, zone: 'UTC' });
  return !OTHER_TOPICS.some((concept) => sentence.any(concept));
}
