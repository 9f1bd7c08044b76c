import { alertHistory } from '../../tools/alert-history.tool.js';
import { listAlerts } from '../../tools/list-alerts.tool.js';
import { closing, partly, unanswered } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import { showConditions } from '../answer/show-conditions.js';
import { understood } from '../answer/understood.js';
import type { Concept } from '../lexicon/concept.js';
import type { Question } from '../parse/question.js';
import type { Segment } from '../parse/segment.js';
import { pointsBack, type Sentence } from '../parse/sentence.js';
import type { Vocabulary } from '../parse/vocabulary.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { answerCount } from './alert-count.js';
import { answerDetails, answerPositions } from './alert-details.js';
import { answerFired, answerFiringAt, firedBefore, tellsPast } from './alert-fired.js';
import { answerPast } from './alert-past.js';
import { clausesOf } from './condition-texts.js';
import { asksFirstTime, type PastKind, pastKindOf } from './past-question.js';
import { answerList, answerMore, noneLead } from './alert-list.js';
import { silencesOf } from './quietness.js';
import { whyFires } from './why-fires.js';
import {
  type AlertQuestion,
  alertQuestion,
  continuesPast,
  readingOf,
  selectionOf,
} from './alert-question.js';

/** Answers any question about alerts. */
export async function* answerAlerts(
  run: TurnRun,
  question: Question,
  vocabulary: Vocabulary,
): Handling {
  const asked = alertQuestion(run, question);
  const { sentence, conditions, references } = question;
  yield* run.explain(understood(run, readingOf(asked, asked.form)));
  if (
    sentence.any('more') &&
    run.memory !== undefined &&
    run.memory.past === undefined &&
    !conditions.where.length
  ) {
    return yield* answerMore(run, run.memory, readingOf(asked, 'more'));
  }
  if (conditions.contradictory) {
    return { blocks: [run.words.contradictory, ...understood(run, readingOf(asked, asked.form))] };
  }
  const tells = tellsPast(run) || run.reads.sources.all.some(alertHistory.needs);
  const own = pastKindOf(question, tells);
  const past = own ?? (continuesPast(asked) ? run.memory?.past : undefined);
  const isPosition = references.positions.length > 0 || refersToIt(run, question);
  if (isPosition && !(tells && asksFirstTime(question))) return yield* answerPositions(run, asked);
  if (pointsNowhere(question)) {
    const text = run.memory === undefined ? run.words.noList : run.words.whichOne;
    return { blocks: [text, ...understood(run, readingOf(asked, 'detail'))] };
  }
  const isKnown = conditions.unmatched.length === 0;
  const instant = question.time?.at;
  if (instant !== undefined && tellsPast(run)) return yield* answerFiringAt(run, asked, instant);
  if (!isKnown && !(past !== undefined && tellsPast(run))) {
    return yield* answerUnmatched(run, asked);
  }
  if (past !== undefined || instant !== undefined) {
    return yield* answerHistory(run, asked, past ?? 'fired');
  }
  switch (asked.form) {
    case 'count':
      return yield* answerCount(run, asked, vocabulary);
    case 'detail':
      return yield* answerDetails(run, asked);
    case 'list':
      return yield* answerList(run, asked);
  }
}

/** Is it about the one alert that was spoken of last, and names no other? */
function refersToIt(run: TurnRun, { sentence, conditions, time }: Question): boolean {
  const own = conditions.where.length > 0 || conditions.unmatched.length > 0 || time !== undefined;
  const one = run.memory?.focus !== undefined || run.memory?.listed.length === 1;
  const pronoun = pointsBack(sentence, ({ key }) => PRONOUN.test(key));
  const it = pointsBack(sentence, isIt);
  // `is it critical?`, 严重吗: of the one that was spoken of.
  const isTrait = conditions.unmatched.length === 0 && (pronoun || isBareTrait(sentence));
  if (one && isTrait && time === undefined && sentence.any('check') !== sentence.has(0, 'is')) {
    return true;
  }
  const asks = it || sentence.any('detail') || sentence.any('since-when');
  const all = sentence.any('alert') && !it;
  return one && asks && !own && !all && !sentence.any('count');
}

function isIt({ concepts }: Segment): boolean {
  return concepts.has('it');
}

const PRONOUN = /^(?:it|this one|that one|this alert|that alert|它|该告警|这条|这个告警|这条告警)$/;

/** 严重吗 */
function isBareTrait({ parts }: Sentence): boolean {
  const isSeverity = parts.some(({ aliases }) => aliases.some(({ kind }) => kind === 'severity'));
  const isAll = parts.every(
    ({ aliases, concepts }) => aliases.length > 0 || concepts.has('check') || concepts.has('is'),
  );
  return isSeverity && isAll && parts.some(({ concepts }) => concepts.has('check'));
}

/** `is it silenced?` where nothing says what `it` is. */
function pointsNowhere({ sentence, conditions }: Question): boolean {
  const points = pointsBack(
    sentence,
    (part) => isIt(part) && !/^(?:this|that|这个|那个|该|此)$/.test(part.key),
  );
  const own = conditions.where.length > 0 || conditions.unmatched.length > 0;
  return points && !own && !['ok', 'count', 'list'].some((c) => sentence.any(c as Concept));
}

/** A condition that nothing live fulfils: said, with how many others there are, never dropped. */
async function* answerUnmatched(run: TurnRun, asked: AlertQuestion): Handling {
  const { words } = run;
  const { unmatched } = asked.question.conditions;
  const selection = selectionOf(asked);
  const where = [...(selection.where ?? []), ...clausesOf(unmatched)].slice(0, 20);
  const result = yield* run.call(listAlerts, { ...selection, where, limit: 1 });
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  const missing = unmatched.map(({ text }) => code(text)).join(', ');
  const rest = showConditions(asked.where, words);
  const named = rest === '' ? missing : `${missing} (${rest})`;
  const near = unmatched.flatMap((one) => one.near).slice(0, 8);
  const hint = near.length === 0 ? '' : ` ${words.near(near.map((text) => code(text)).join(', '))}`;
  const texts = unmatched.map(({ text }) => code(text)).join(', ');
  const reading = { ...readingOf(asked, asked.form), filter: `${rest === '' ? '' : ', '}${texts}` };
  return {
    blocks: [
      `${noneLead(run, asked, result, named)}${hint}`,
      ...understood(run, reading),
      ...(asked.state === 'suppressed'
        ? yield* silencesOf(
            run,
            unmatched.map(({ text }) => text),
          )
        : []),
      ...(yield* whyFires(
        run,
        asked.question,
        unmatched.flatMap(({ text }) => (text.includes('=') ? [] : [text])),
      )),
      ...(yield* firedBefore(run, asked)),
      ...closing(run, result),
    ],
  };
}

/** What no source keeps; with what there is now. */
async function* answerHistory(run: TurnRun, asked: AlertQuestion, kind: PastKind): Handling {
  if (run.reads.sources.all.some(alertHistory.needs)) return yield* answerPast(run, asked, kind);
  if (tellsPast(run)) return yield* answerFired(run, asked, kind);
  const result = yield* run.call(listAlerts, { ...selectionOf(asked), limit: 1 });
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  const { words } = run;
  const lead = words.leadAll(asked.state, result.unfiltered, result.suppressed);
  return {
    blocks: [
      words.noHistory,
      result.unfiltered === 0 ? lead : partly(run, result, lead),
      ...understood(run, readingOf(asked, 'history')),
      ...closing(run, result),
    ],
  };
}
