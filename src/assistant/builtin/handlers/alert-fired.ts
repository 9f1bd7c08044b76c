import {
  alertTimeline,
  type AlertTimelineResult,
  type TimelineRow,
} from '../../tools/alert-timeline.tool.js';
import { iso } from '../../tools/iso-time.js';
import { closing, unanswered } from '../answer/closing.js';
import { code, plain, table } from '../answer/markdown.js';
import { showConditions } from '../answer/show-conditions.js';
import { understood } from '../answer/understood.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { type AlertQuestion, readingOf } from './alert-question.js';
import { clausesOf } from './condition-texts.js';

const DAY = 24 * 3_600_000;
const WEEK = 7 * DAY;
const PAGE = 100;
const PAGES = 5;
const SHOWN = 20;

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
export async function* answerFired(run: TurnRun, asked: AlertQuestion): Handling {
  const { words } = run;
  const isEnded = asked.question.sentence.any('resolved');
  const where = [...asked.where, ...clausesOf(asked.question.conditions.unmatched)].slice(0, 20);
  const { result, rows, since, until, remarks } = yield* firedIn(run, { ...asked, where });
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  const fitting = isEnded ? rows.filter(({ last }) => last !== undefined) : rows;
  const filter = showConditions(where, words);
  const period = [run.at(iso(since)), run.at(iso(until))] as const;
  const times = fitting.reduce((sum, one) => sum + one.times, 0);
  return {
    blocks: [
      ...(fitting.length === 0 && !result.ended_known
        ? []
        : [words.fired(isEnded, fitting.length, times, filter, ...period)]),
      ...understood(run, readingOf({ ...asked, where }, 'history')),
      ...tableOf(run, fitting, until),
      ...remarks,
      ...closing(run, result),
    ],
  };
}

/** Beside a list of what still fires: everything that fired in that time of the past. */
export async function* firedToo(run: TurnRun, asked: AlertQuestion): Handling<readonly string[]> {
  const { words } = run;
  if (!tellsPast(run) || asked.state !== 'firing') return [words.noHistory];
  const { rows, until, remarks } = yield* firedIn(run, asked);
  const able = new Set(
    run.reads.sources.all.flatMap(({ name, metrics }) => (metrics === undefined ? [] : [name])),
  );
  const known = rows.filter(({ source }) => able.has(source));
  if (known.length === 0) return remarks.length > 0 ? remarks : [words.noneFired];
  return [words.firedThen(known.length), ...tableOf(run, known, until), ...remarks];
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
    ...(result.ended_known ? [] : [words.endedUnknown]),
  ];
  return { result, rows, since, until, remarks };
}

function tableOf(run: TurnRun, rows: readonly TimelineRow[], until: number): readonly string[] {
  if (rows.length === 0) return [];
  const { columns, stillFires, firedAtEnd, more, timesFired } = run.words;
  // Whether what fired at the end of a past time fires still, its history does not say.
  const open = until < run.now ? firedAtEnd : stillFires;
  const head = [columns.alert, columns.severity, columns.labels, columns.first, columns.last];
  const shown = rows.slice(0, SHOWN).map(({ name, severity, labels, first, last, times }) => {
    const where = Object.entries(labels)
      .filter(([label]) => label !== 'alertname' && label !== 'severity')
      .slice(0, 4)
      .map(([label, value]) => `${label}=${value}`);
    return [
      code(name),
      plain(severity ?? ''),
      plain(where.join(', '), 200),
      run.at(first),
      last === undefined ? open : run.at(last),
      String(times),
    ];
  });
  const left = rows.length - shown.length;
  return [table([...head, timesFired], shown), ...(left > 0 ? [more(left)] : [])];
}
