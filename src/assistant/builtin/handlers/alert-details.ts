import { getAlert, type GetAlertResult } from '../../tools/get-alert.tool.js';
import { listAlerts } from '../../tools/list-alerts.tool.js';
import { alertDetail } from '../answer/alert-detail.js';
import { closing, lackOf, unanswered } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import type { ListMemory } from '../memory.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { leadOf, listAnswer, noneLead, listedOf, PAGE } from './alert-list.js';
import {
  type AlertQuestion,
  hasConditions,
  memoryOf,
  readingOf,
  selectionOf,
} from './alert-question.js';
import { silencesToo } from './quietness.js';
import { whyFires } from './why-fires.js';

/** More would be a list again. */
const MOST_DETAILS = 3;

/** Everything about the alerts that fit, or a list when they are many. */
export async function* answerDetails(run: TurnRun, asked: AlertQuestion): Handling {
  const order = asked.order ?? 'severity';
  const limit = Math.min(asked.limit ?? PAGE, 100);
  const list = yield* run.call(listAlerts, { ...selectionOf(asked), order, limit });
  const none = unanswered(run, list, 'alerts');
  if (none !== undefined) return { blocks: none };
  const rows = list.alerts;
  if (rows.length === 0 || rows.length > MOST_DETAILS || list.has_more) {
    return yield* listAnswer(run, asked, list, rows);
  }
  const details: string[] = [];
  for (const [index, { source, fingerprint }] of rows.entries()) {
    const result = yield* run.call(getAlert, { source, fingerprint, state: asked.state });
    const position = rows.length === 1 ? undefined : index + 1;
    details.push(...result.alerts.map((alert) => alertDetail(run, alert, position)));
  }
  return {
    blocks: [
      leadOf(run, asked, list),
      ...understood(run, readingOf(asked, 'detail')),
      ...(yield* whyFires(
        run,
        asked.question,
        rows.map(({ name }) => name),
      )),
      ...details,
      ...(yield* silencesToo(run, asked)),
      ...closing(run, list),
    ],
    memory: memoryOf(asked, listedOf(rows), rows.length),
  };
}

/** `the second one`: of the list that was shown, read anew from its source. */
export async function* answerPositions(run: TurnRun, asked: AlertQuestion): Handling {
  const { sentence, references, conditions } = asked.question;
  const speaksOfList = sentence.any('them') || sentence.any('it');
  const own =
    conditions.where.length > 0 || conditions.unmatched.length > 0 || asked.order !== undefined;
  const isOfOne = run.memory !== undefined && references.positions.length === 0;
  if ((own && !isOfOne) || (run.memory === undefined && sentence.any('alert') && !speaksOfList)) {
    return yield* answerFreshPositions(run, asked);
  }
  const memory = run.memory;
  if (memory === undefined || memory.listed.length === 0) {
    return { blocks: [run.words.noList, ...understood(run, readingOf(asked, 'detail'))] };
  }
  const wanted = references.positions.length > 0 ? references.positions : [(memory.focus ?? 0) + 1];
  return yield* showPositions(run, asked, memory, wanted);
}

async function* answerFreshPositions(run: TurnRun, asked: AlertQuestion): Handling {
  if (asked.question.conditions.unmatched.length > 0) return yield* answerNothing(run, asked);
  const order = asked.order ?? 'severity';
  const list = yield* run.call(listAlerts, { ...selectionOf(asked), order, limit: 100 });
  const none = unanswered(run, list, 'alerts');
  if (none !== undefined) return { blocks: none };
  const memory = memoryOf(asked, listedOf(list.alerts.slice(0, PAGE)), PAGE);
  if (list.alerts.length === 0) return yield* listAnswer(run, asked, list, []);
  return yield* showPositions(run, asked, memory, asked.question.references.positions);
}

async function* answerNothing(run: TurnRun, asked: AlertQuestion): Handling {
  const list = yield* run.call(listAlerts, { state: asked.state, limit: 1 });
  const none = unanswered(run, list, 'alerts');
  if (none !== undefined) return { blocks: none };
  const texts = asked.question.conditions.unmatched.map(({ text }) => code(text)).join(', ');
  return {
    blocks: [
      noneLead(run, asked, list, texts),
      ...understood(run, readingOf(asked, 'detail')),
      ...closing(run, list),
    ],
  };
}

async function* showPositions(
  run: TurnRun,
  asked: AlertQuestion,
  memory: ListMemory,
  wanted: readonly number[],
): Handling {
  const { words } = run;
  const details: string[] = [];
  const lacks = new Set<string>();
  let focus: number | undefined;
  let last: GetAlertResult | undefined;
  for (const position of wanted.slice(0, MOST_DETAILS)) {
    const index = position < 0 ? memory.listed.length + position : position - 1;
    const known = memory.listed[index];
    if (known === undefined) {
      details.push(words.noPosition(position, memory.listed.length));
      continue;
    }
    const { source, fingerprint, name } = known;
    last = yield* run.call(getAlert, { source, fingerprint, state: memory.state ?? 'firing' });
    const failed = unanswered(run, last, 'alerts');
    const away = last.sources.find((one) => one.name === source && one.error !== undefined);
    if (failed !== undefined) return { blocks: failed };
    if (last.alerts.length > 0) {
      details.push(...yesNo(run, asked, last));
      details.push(...(yield* whyFires(run, asked.question, [name])));
      details.push(...last.alerts.map((alert) => alertDetail(run, alert, index + 1)));
      focus = index;
    } else if (away === undefined) details.push(words.gone(code(name)));
    else lacks.add(lackOf(run, last));
  }
  const { listed } = memory;
  return {
    blocks: [
      ...[...lacks].map((lack) => words.cannotTell(lack)),
      ...understood(run, {
        task: 'detail',
        ignored: asked.question.ignored,
        notes: asked.question.notes,
        ...(hasConditions(asked) ? readingOf(asked, 'detail') : {}),
      }),
      ...details,
      ...(last === undefined ? [] : closing(run, last)),
    ],
    memory: { ...memory, listed, ...(focus === undefined ? {} : { focus }) },
  };
}

/** `is it silenced?`, `is it still firing?` */
function yesNo(
  run: TurnRun,
  { question: { sentence } }: AlertQuestion,
  result: GetAlertResult,
): readonly string[] {
  if (!sentence.any('check') && !sentence.any('is')) return [];
  const isQuiet = result.alerts[0]?.state === 'suppressed';
  if (sentence.any('silenced')) {
    const lack = lackOf(run, result);
    // Prometheus knows no silences: where the router is away nothing else tells.
    if (!isQuiet && lack !== '') return [run.words.cannotTell(lack)];
    return [isQuiet ? run.words.yes : run.words.no];
  }
  if (sentence.any('resolved')) return [run.words.stillFiring];
  return sentence.any('firing') && !sentence.any('detail') ? [run.words.yes] : [];
}
