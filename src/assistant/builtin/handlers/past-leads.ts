import type { TimelineRow } from '../../tools/alert-timeline.tool.js';
import { code } from '../answer/markdown.js';
import { beganText, courseText } from '../answer/stretches.js';
import type { Question } from '../parse/question.js';
import type { TurnRun } from '../turn-run.js';
import {
  asksEnd,
  asksFirstTime,
  asksLatest,
  asksOften,
  type PastKind,
  speaksOfFirst,
} from './past-question.js';

/** Alerts of which each is told in a sentence of its own; more are a table. */
const MOST_SENTENCES = 5;

/** When it was last over, as far as that is known. */
export function endOf({ last, ended }: TimelineRow): string | undefined {
  return last ?? ended;
}

/** The rows in the order that was asked for. */
export function inPastOrder(
  rows: readonly TimelineRow[],
  kind: PastKind,
  question: Question,
): readonly TimelineRow[] {
  if (asksOften(question)) return rows.toSorted((a, b) => b.times - a.times);
  if (kind !== 'ended' || !(asksLatest(question) || asksEnd(question))) return rows;
  return rows.toSorted((a, b) => timeOf(endOf(b)) - timeOf(endOf(a)));
}

/** What answers a question for one thing by itself, before the table of all. */
export function pastLead(
  run: TurnRun,
  rows: readonly TimelineRow[],
  kind: PastKind,
  question: Question,
  since: number,
  isNow: boolean,
): readonly string[] {
  if (rows.length === 0) return [];
  if (asksEnd(question)) {
    return rows.length > MOST_SENTENCES ? [] : rows.map((row) => endSentence(run, row, isNow));
  }
  if (asksFirstTime(question)) {
    if (rows.length > MOST_SENTENCES) return [];
    return rows.map((row) => run.words.firstTime(nameOf(row), toldOf(run, row)));
  }
  if (asksOften(question)) return [oftenLead(run, rows)];
  if (kind === 'ended') return asksLatest(question) ? lastLead(run, rows) : [];
  const [first] = rows;
  if (first === undefined || !speaksOfFirst(question)) return [];
  const span = Math.max(1, Math.round((run.now - since) / 3_600_000));
  return [firstLead(run, rows, first, span)];
}

/** The first of all, with those that began at the same time. */
export function firstLead(
  run: TurnRun,
  rows: readonly TimelineRow[],
  first: TimelineRow,
  hours: number,
): string {
  const same = rows.filter((row) => row.first === first.first && row.before === first.before);
  const told = same.length > 1 ? beganText(run, first) : toldOf(run, first);
  return run.words.firstToFire(
    hours,
    same.map(({ name }) => code(name)),
    told,
  );
}

/** When it began, and how it went on. */
function toldOf(run: TurnRun, row: TimelineRow): string {
  return `${beganText(run, row)}; ${courseText(run, row)}`;
}

/** Of a list of ended ones: which of them fire anew. */
export function againNote(run: TurnRun, rows: readonly TimelineRow[]): readonly string[] {
  const again = rows.filter(({ last }) => last === undefined);
  return again.length === 0 ? [] : [run.words.firesAgain(again.map(nameOf))];
}

function endSentence(run: TurnRun, row: TimelineRow, isNow: boolean): string {
  const { words } = run;
  const end = endOf(row);
  const at = (time: string): string => (row.exact ? run.at(time) : words.about(run.at(time)));
  if (end === undefined) return words.notEnded(nameOf(row), beganText(run, row));
  const again = row.last === undefined && row.since !== undefined ? at(row.since) : undefined;
  return words.endedAt(nameOf(row), at(end), again, isNow);
}

function lastLead(run: TurnRun, rows: readonly TimelineRow[]): readonly string[] {
  const end = rows[0] === undefined ? undefined : endOf(rows[0]);
  if (rows[0] === undefined || end === undefined) return [];
  const same = rows.filter((row) => endOf(row) === end);
  const at = rows[0].exact ? run.at(end) : run.words.about(run.at(end));
  const isAgain = same.some(({ last }) => last === undefined);
  return [run.words.lastEnded(same.map(nameOf), at, isAgain)];
}

/** By name: one alert may have many series. */
function oftenLead(run: TurnRun, rows: readonly TimelineRow[]): string {
  const times = new Map<string, { times: number; exact: boolean }>();
  for (const { name, times: more, exact } of rows) {
    const known = times.get(name);
    times.set(name, {
      times: (known?.times ?? 0) + more,
      exact: exact && known?.exact !== false,
    });
  }
  const most = Math.max(...[...times.values()].map((one) => one.times));
  const best = [...times].filter(([, one]) => one.times === most);
  const isExact = best.every(([, { exact }]) => exact);
  const told = isExact ? String(most) : run.words.atLeast(most);
  return run.words.mostOften(
    best.map(([name]) => code(name)),
    told,
  );
}

/** With its host or service, where rows differ by that only. */
function nameOf({ name, labels }: TimelineRow): string {
  const where = ['instance', 'host', 'service', 'job'].find((label) => labels[label] !== undefined);
  return where === undefined
    ? code(name)
    : `${code(name)} (${code(`${where}=${labels[where] ?? ''}`)})`;
}

function timeOf(at: string | undefined): number {
  return at === undefined ? 0 : Date.parse(at);
}
