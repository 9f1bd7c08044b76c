import {
  alertTimeline,
  type AlertTimelineResult,
  type TimelineRow,
} from '../../tools/alert-timeline.tool.js';
import type { Clause } from '../../tools/label-matcher.js';
import { iso } from '../../tools/iso-time.js';
import { closing, lackOf, unanswered } from '../answer/closing.js';
import { code, plain, table } from '../answer/markdown.js';
import { showConditions } from '../answer/show-conditions.js';
import { beganText, endText, looksRemark, timesText } from '../answer/stretches.js';
import { type Reading, understood } from '../answer/understood.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { type AlertQuestion, memoryOf, readingOf } from './alert-question.js';
import { clausesOf } from './condition-texts.js';
import { againNote, firstLead, inPastOrder, pastLead } from './past-leads.js';
import { asksEnd, asksYesNo, firedSince, type PastKind } from './past-question.js';

const DAY = 24 * 3_600_000;
const WEEK = 7 * DAY;
const PAGE = 100;
const PAGES = 5;
const SHOWN = 20;
const FIRST_HOURS = 6;

/** Is there a Prometheus that remembers what has ended, and may this team ask it? */
export function tellsPast(run: TurnRun): boolean {
  const { all } = run.reads.sources;
  return run.may(alertTimeline.name) && all.some(({ metrics }) => metrics !== undefined);
}

interface Fired {
  readonly result: AlertTimelineResult;
  readonly rows: readonly TimelineRow[];
  readonly since: number;
  readonly until: number;
  /** What must be said about how far it looked. */
  readonly remarks: readonly string[];
}

/** `which alerts ended today?`, `how often did X fire?`: from what Prometheus remembers. */
export async function* answerFired(run: TurnRun, asked: AlertQuestion, kind: PastKind): Handling {
  const { words } = run;
  const where = wherePast(asked);
  const { result, rows, since, until, remarks } = yield* firedIn(run, { ...asked, where });
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  const isEnded = kind === 'ended';
  const { question } = asked;
  // `when did X end?` of one that did not: that it fires still.
  const wanted =
    isEnded && !asksEnd(question) ? rows.filter(hasEnded) : begunIn(rows, since, asked);
  const fitting = inPastOrder(wanted, kind, question);
  const ended = isEnded ? fitting.filter(hasEnded).length : fitting.length;
  const filter = showConditions(where, words);
  const period = [run.at(iso(since)), run.at(iso(until))] as const;
  const times = fitting.reduce((sum, one) => sum + one.times, 0);
  const isNo = fitting.length === 0;
  const lack = lackOf(run, result);
  const isSure = result.ended_known && lack === '';
  const yesNo = asksYesNo(asked.question) ? (isNo ? `${words.no} ` : `${words.yes} `) : '';
  const told = words.fired(isEnded, ended, times, filter, ...period);
  return {
    blocks: [
      ...pastLead(run, fitting, kind, question, since, until >= run.now),
      ...(isNo && !isSure ? (lack === '' ? [] : [words.cannotTell(lack)]) : [`${yesNo}${told}`]),
      ...(isEnded && !asksEnd(question) ? againNote(run, fitting) : []),
      ...understood(run, pastReading({ ...asked, where }, isEnded)),
      ...groupsOf(run, fitting, asked.by),
      ...tableOf(run, fitting, until),
      ...(isEnded || wanted.length === rows.length
        ? []
        : [words.firedAlready(rows.length - wanted.length)]),
      ...remarks,
      ...closing(run, result),
    ],
    memory: {
      ...memoryOf({ ...asked, where }, run.memory?.listed ?? [], run.memory?.shown ?? 0),
      past: kind,
    },
  };
}

/** Without the words that its lead has answered: `most often`, `the first time`. */
function pastReading(asked: AlertQuestion, isEnded: boolean): Reading {
  const { question } = asked;
  const ignored = question.ignored.filter(
    (word) => !/^(?:often|frequently|time|recover|次|频繁)$/iu.test(word),
  );
  return readingOf({ ...asked, question: { ...question, ignored } }, isEnded ? 'ended' : 'history');
}

function wherePast({ where, question }: AlertQuestion): readonly Clause[] {
  return [...where, ...clausesOf(question.conditions.unmatched)].slice(0, 20);
}

/** What `fired since 09:00`: not what fired already by then, and only went on, as in a period. */
function begunIn(
  rows: readonly TimelineRow[],
  since: number,
  { question }: AlertQuestion,
): readonly TimelineRow[] {
  const isSince = question.sentence.segments.some(({ key }) => /^since\b|以来$/u.test(key));
  if (!isSince || !firedSince(question) || asksYesNo(question)) return rows;
  return rows.filter(
    ({ first, before, times }) => times > 1 || (before !== true && Date.parse(first) >= since),
  );
}

function hasEnded({ last, ended }: TimelineRow): boolean {
  return last !== undefined || ended !== undefined;
}

/** `what was firing at 18:58?` */
export async function* answerFiringAt(run: TurnRun, asked: AlertQuestion, at: number): Handling {
  const { words } = run;
  const where = wherePast(asked);
  const period = { where, after: at - 1000, before: at };
  const { result, rows, remarks } = yield* firedIn(run, period);
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  const open = rows.filter(({ last }) => last === undefined);
  const filter = showConditions(where, words);
  const isKnown = open.length > 0 || (result.ended_known && lackOf(run, result) === '');
  const yesNo = asksYesNo(asked.question) ? `${open.length > 0 ? words.yes : words.no} ` : '';
  const { columns } = words;
  return {
    blocks: [
      ...(isKnown ? [`${yesNo}${words.firedAt(open.length, filter, run.at(iso(at)))}`] : []),
      ...understood(run, { ...readingOf({ ...asked, where }, 'history'), instant: at }),
      ...(open.length === 0
        ? []
        : [
            table(
              [columns.alert, columns.severity, columns.labels],
              open.slice(0, SHOWN).map(namesOf),
            ),
          ]),
      ...(open.length > SHOWN ? [words.more(open.length - SHOWN)] : []),
      ...remarks,
      ...closing(run, result),
    ],
  };
}

/** `what fired first?`: said before the list of what still fires, of which that is one at most. */
export async function* firstToFire(
  run: TurnRun,
  asked: AlertQuestion,
): Handling<readonly string[]> {
  const { words } = run;
  if (!tellsPast(run)) return [words.endedUnknown];
  const hours = FIRST_HOURS;
  const after = asked.after ?? run.now - hours * 3_600_000;
  const { rows, result, remarks } = yield* firedIn(run, {
    ...asked,
    after,
    where: wherePast(asked),
  });
  const [first] = rows;
  if (first === undefined) return remarks;
  const isKnown = result.ended_known;
  const span = Math.max(1, Math.round((run.now - after) / 3_600_000));
  return [...(isKnown ? [firstLead(run, rows, first, span)] : []), ...remarks];
}

/** Beside a list of what still fires: everything that fired in that time of the past. */
export async function* firedToo(run: TurnRun, asked: AlertQuestion): Handling<readonly string[]> {
  const { words } = run;
  if (!tellsPast(run) || asked.state !== 'firing') return [words.noHistory];
  const { rows, until, remarks } = yield* firedIn(run, { ...asked, where: wherePast(asked) });
  const able = new Set(
    run.reads.sources.all.flatMap(({ name, metrics }) => (metrics === undefined ? [] : [name])),
  );
  const known = rows.filter(({ source }) => able.has(source));
  if (known.length === 0) return remarks.length > 0 ? remarks : [words.noneFired];
  return [words.firedThen(known.length), ...tableOf(run, known, until), ...remarks];
}

/** Of something that nothing that fires now has: when it fired in the last day, if it did. */
export async function* firedBefore(
  run: TurnRun,
  asked: AlertQuestion,
): Handling<readonly string[]> {
  const isNamed = asked.question.conditions.unmatched.every(({ text }) => !text.includes('='));
  if (!tellsPast(run) || asked.state !== 'firing' || !isNamed) return [];
  const { rows, until } = yield* firedIn(run, { ...asked, where: wherePast(asked) });
  return rows.length === 0 ? [] : [run.words.firedThen(rows.length), ...tableOf(run, rows, until)];
}

async function* firedIn(
  run: TurnRun,
  { where, after, before }: Pick<AlertQuestion, 'where' | 'after' | 'before'>,
): Handling<Fired> {
  const until = Math.min(before ?? run.now, run.now);
  const wanted = Math.min(after ?? until - DAY, until - 1000);
  const since = Math.max(wanted, until - WEEK);
  const ask = { start: iso(since), end: iso(until), where: [...where], limit: PAGE };
  const result = yield* run.call(alertTimeline, ask);
  const rows = [...result.timeline];
  let hasMore = result.has_more;
  for (let page = 1; hasMore && page < PAGES; page += 1) {
    const next = yield* run.call(alertTimeline, { ...ask, offset: page * PAGE });
    rows.push(...next.timeline);
    hasMore = next.has_more;
  }
  const { words } = run;
  const remarks = [
    ...(since > wanted ? [words.weekOnly] : []),
    ...(hasMore ? [words.more(result.total - rows.length)] : []),
    ...looksRemark(run, result),
    ...(result.ended_known ? [] : [words.endedUnknown]),
  ];
  return { result, rows, since, until, remarks };
}

function tableOf(run: TurnRun, rows: readonly TimelineRow[], until: number): readonly string[] {
  if (rows.length === 0) return [];
  const { columns, stillFires, firedAtEnd, more, timesFired } = run.words;
  // Whether what fired at the end of a past time fires still, its history does not say.
  const open = until < run.now ? firedAtEnd : stillFires;
  const head = [
    columns.alert,
    columns.severity,
    columns.labels,
    columns.firstTime,
    columns.lastTime,
  ];
  const shown = rows.slice(0, SHOWN).map((row) => {
    return [...namesOf(row), beganText(run, row), endText(run, row, open), timesText(run, row)];
  });
  const left = rows.length - shown.length;
  return [table([...head, timesFired], shown), ...(left > 0 ? [more(left)] : [])];
}

/** `how many fired today by severity?` */
function groupsOf(
  run: TurnRun,
  rows: readonly TimelineRow[],
  by: readonly string[],
): readonly string[] {
  if (by.length === 0 || rows.length === 0) return [];
  const groups = new Map<
    string,
    { readonly values: readonly string[]; alerts: number; times: number }
  >();
  for (const { labels, times } of rows) {
    const values = by.map((label) => labels[label] ?? '');
    const known = groups.get(JSON.stringify(values)) ?? { values, alerts: 0, times: 0 };
    known.alerts += 1;
    known.times += times;
    groups.set(JSON.stringify(values), known);
  }
  const { columns, timesFired, more } = run.words;
  const sorted = [...groups.values()].sort((a, b) => b.alerts - a.alerts);
  const shown = sorted.slice(0, SHOWN).map(({ values, alerts, times }) => {
    return [...values.map((value) => plain(value)), String(alerts), String(times)];
  });
  const left = sorted.length - shown.length;
  const head = [...by.map((label) => plain(label)), columns.count, timesFired];
  return [table(head, shown), ...(left > 0 ? [more(left)] : [])];
}

function namesOf({ name, severity, labels }: TimelineRow): readonly string[] {
  const where = Object.entries(labels)
    .filter(([label]) => label !== 'alertname' && label !== 'severity')
    .slice(0, 4)
    .map(([label, value]) => `${label}=${value}`);
  return [code(name), plain(severity ?? ''), plain(where.join(', '), 200)];
}
