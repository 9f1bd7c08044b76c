import type { AlertRow } from '../../tools/alert-row.js';
import { listAlerts, type ListAlertsResult } from '../../tools/list-alerts.tool.js';
import { alertTable } from '../answer/alert-list.js';
import { closing, lackOf, partly, unanswered } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import { showConditions } from '../answer/show-conditions.js';
import { type Reading, understood } from '../answer/understood.js';
import type { ListMemory } from '../memory.js';
import type { Concept } from '../lexicon/concept.js';
import type { Threshold } from '../parse/references.js';
import { showInstant } from '../time/zoned.js';
import type { Handling, TurnRun } from '../turn-run.js';
import {
  type AlertQuestion,
  hasConditions,
  memoryOf,
  readingOf,
  selectionOf,
} from './alert-question.js';
import { unroutedLead } from './unrouted.js';
import { firedToo, firstToFire } from './alert-fired.js';
import { asksFirst } from './past-question.js';
import { quietnessOf, silencesToo } from './quietness.js';

/** Rows a list shows at once. */
export const PAGE = 20;

export async function* answerList(run: TurnRun, asked: AlertQuestion): Handling {
  const limit = Math.min(asked.limit ?? PAGE, 100);
  const order = asked.order ?? 'severity';
  const isOfTime = limit === 1 && (order === 'oldest' || order === 'newest');
  const rows = isOfTime ? 100 : limit;
  const result = yield* run.call(listAlerts, { ...selectionOf(asked), order, limit: rows });
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  if (!isOfTime) return yield* listAnswer(run, asked, result, result.alerts);
  const alerts = tiedWithFirst(result);
  return yield* listAnswer(run, asked, { ...result, alerts }, alerts.slice(0, PAGE));
}

/** The first, and those that began in the same moment: no order tells them apart. */
function tiedWithFirst({ alerts }: { readonly alerts: readonly AlertRow[] }): readonly AlertRow[] {
  return alerts.filter(({ since }) => since === alerts[0]?.since);
}

/** The next rows of the list of an earlier turn. */
export async function* answerMore(run: TurnRun, memory: ListMemory, reading: Reading): Handling {
  const { where, state = 'firing', after, before, order = 'severity', shown } = memory;
  const result = yield* run.call(listAlerts, {
    where,
    state,
    order,
    limit: PAGE,
    offset: shown,
    ...(after === undefined ? {} : { started_after: new Date(after).toISOString() }),
    ...(before === undefined ? {} : { started_before: new Date(before).toISOString() }),
  });
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  const end = shown + result.alerts.length;
  return {
    blocks: [
      partly(
        run,
        result,
        run.words.leadSome(state, result.total, result.unfiltered, result.suppressed),
      ),
      ...understood(run, { ...reading, where, state }),
      result.alerts.length === 0
        ? run.words.noMore
        : alertTable(run, result.alerts, where, shown + 1),
      ...moreOf(run, result.total - end, true),
      ...closing(run, result),
    ],
    memory: {
      ...memory,
      listed: [...memory.listed, ...listedOf(result.alerts)].slice(-100),
      shown: end,
    },
  };
}

/** The answer that shows `rows` of a list. */
export async function* listAnswer(
  run: TurnRun,
  asked: AlertQuestion,
  result: ListAlertsResult,
  rows: readonly AlertRow[],
  looksFurther = false,
): Handling {
  const quietness = await quietnessOf(run, asked);
  const isWhole = asked.question.sentence.any('ok') || result.total === 0;
  const lost = looksFurther || isWhole ? await unroutedLead(run, asked, result) : undefined;
  const left = asked.limit === undefined ? result.total - rows.length : 0;
  const first = asksFirst(asked.question) ? yield* firstToFire(run, asked) : [];
  const isOver = isPast(asked) || (asked.after !== undefined && result.total === 0);
  return {
    blocks: [
      ...first,
      // `All quiet`, `No alert is firing`: not while Prometheus fires something.
      ...(lost === undefined
        ? []
        : [result.total > 0 ? `${leadOf(run, asked, result)} ${lost}` : lost]),
      ...(lost === undefined ? [leadOf(run, asked, result)] : []),
      ...understood(run, readingOf(asked, asked.form)),
      ...(rows.length === 0 ? [] : [alertTable(run, rows, asked.where, 1, quietness)]),
      ...moreOf(run, left, true),
      ...(yield* silencesToo(run, asked)),
      ...(isOver && first.length === 0 ? yield* firedToo(run, asked) : []),
      ...noteworthy(run, result),
      ...closing(run, result),
    ],
    memory: memoryOf(asked, listedOf(rows), rows.length),
  };
}

/** The first sentences: how many there are, and yes or no where that was asked. */
export function leadOf(
  run: TurnRun,
  asked: AlertQuestion,
  result: Pick<ListAlertsResult, 'total' | 'unfiltered' | 'suppressed' | 'sources'> & {
    readonly alerts?: readonly AlertRow[];
  },
): string {
  const { words } = run;
  const { sentence } = asked.question;
  const { total, unfiltered, suppressed } = result;
  const lack = lackOf(run, result);
  if (lack !== '' && total === 0) {
    return words.noneSeen(words.alertsThat(asked.state), conditionsOf(run, asked), lack);
  }
  const head = hasConditions(asked)
    ? total === 0
      ? words.leadNone(asked.state, conditionsOf(run, asked), unfiltered)
      : words.leadSome(asked.state, total, unfiltered, suppressed)
    : words.leadAll(asked.state, total, suppressed);
  const resolved = sentence.indexOf('resolved');
  const isNegated = sentence.has(resolved - 1, 'not', 'without');
  const word =
    resolved !== -1 && !isNegated
      ? total > 0
        ? words.stillFiring
        : words.notFiring
      : sentence.any('ok') || sentence.any('up')
        ? total > 0
          ? words.notWell
          : // No alert proves nothing alive.
            sentence.any('up')
            ? ''
            : words.allWell
        : isYesNo(asked)
          ? lack !== '' && !isSure(asked, total)
            ? words.cannotTell(lack)
            : isMet(asked, total)
              ? words.yes
              : words.no
          : '';
  const first = result.alerts?.[0];
  const ordered =
    first !== undefined && (asked.order === 'newest' || asked.order === 'oldest')
      ? words.first(
          asked.order,
          tiedWithFirst({ alerts: result.alerts ?? [] }).map(({ name }) => code(name)),
          run.since(first.since),
        )
      : '';
  const part = lack === '' ? '' : words.partly(lack);
  return [word, head, ordered, part].filter((part) => part !== '').join(' ');
}

/** Nothing fits: that there is none, or what did not answer and so may have it. */
export function noneLead(
  run: TurnRun,
  asked: AlertQuestion,
  result: Pick<ListAlertsResult, 'unfiltered' | 'sources'>,
  conditions: string,
): string {
  const { words } = run;
  const lack = lackOf(run, result);
  if (lack !== '') return words.noneSeen(words.alertsThat(asked.state), conditions, lack);
  const no = isYesNo(asked) ? `${words.no} ` : '';
  return `${no}${words.leadNone(asked.state, conditions, result.unfiltered)}`;
}

/** Is there what was asked for: any, or as many as `more than 5` says? */
function isMet({ question, by }: AlertQuestion, total: number): boolean {
  const { threshold } = question.references;
  return threshold === undefined || by.length > 0 ? total > 0 : passes(total, threshold);
}

/** Would more alerts, of a source that did not answer, leave the yes as it is? */
function isSure(asked: AlertQuestion, total: number): boolean {
  const op = asked.by.length > 0 ? undefined : asked.question.references.threshold?.op;
  return op !== 'below' && op !== 'at-most' && isMet(asked, total);
}

export function passes(count: number, threshold: Threshold): boolean {
  switch (threshold.op) {
    case 'above':
      return count > threshold.count;
    case 'below':
      return count < threshold.count;
    case 'at-least':
      return count >= threshold.count;
    case 'at-most':
      return count <= threshold.count;
  }
}

export function listedOf(rows: readonly AlertRow[]): ListMemory['listed'] {
  return rows.map(({ source, fingerprint, name, labels }) => ({
    source,
    fingerprint,
    name,
    labels: { ...labels },
  }));
}

/** Things about the data that change how the numbers are to be read. */
export function noteworthy(
  run: TurnRun,
  result: Pick<ListAlertsResult, 'view'> & { readonly alerts?: readonly AlertRow[] },
): readonly string[] {
  const places = new Map<string, Set<string>>();
  for (const { labels, source } of result.alerts ?? []) {
    const key = JSON.stringify(Object.entries(labels).sort());
    places.set(key, (places.get(key) ?? new Set()).add(source));
  }
  const alike = [...places.values()].filter((sources) => sources.size > 1).length;
  return [
    ...(result.view === 'rules' ? [run.words.rulesView] : []),
    ...(alike > 0 ? [run.words.alike(alike)] : []),
  ];
}

/** `yesterday`, `between 8 and 9`: a time that is over. */
function isPast({ after, before }: AlertQuestion): boolean {
  return after !== undefined && before !== undefined;
}

/** Does the question want a yes or a no first? */
export function isYesNo(asked: AlertQuestion): boolean {
  const { question, form } = asked;
  const { sentence, ignored, compares } = question;
  // With a word left out, the yes would be the answer to another question.
  if (ignored.length > 0 || compares || form === 'detail') return false;
  // Whether it fired then, no source can tell: only what began then and still fires is known.
  const isNamed = asked.where.some((clause) => !('any' in clause) && clause.label === 'alertname');
  if (isPast(asked) || (isNamed && asked.after !== undefined)) return false;
  // `is checkout down` is not answered by an alert about checkout.
  if (['count', 'which', 'down', 'ok', 'up'].some((concept) => sentence.any(concept as Concept))) {
    return false;
  }
  return sentence.any('check') || sentence.has(0, 'is');
}

function moreOf(run: TurnRun, left: number, hint: boolean): readonly string[] {
  if (left <= 0) return [];
  return [run.words.more(left) + (hint ? ` ${run.words.moreHint}` : '')];
}

/** Conditions and times in one text. */
function conditionsOf(run: TurnRun, asked: AlertQuestion): string {
  const time = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : showInstant(at, run.zone);
  const started =
    asked.after === undefined && asked.before === undefined
      ? ''
      : run.words.started(time(asked.after), time(asked.before));
  return [showConditions(asked.where, run.words), started].filter((p) => p !== '').join(', ');
}
