import type { AlertTimelineResult, TimelineRow } from '../../tools/alert-timeline.tool.js';
import type { TurnRun } from '../turn-run.js';

/** When it first fired in the period, as surely as that is known. */
export function beganText(run: TurnRun, { first, before, exact }: TimelineRow): string {
  const { words } = run;
  if (before === true) return words.already(run.at(first));
  return exact ? run.at(first) : words.about(run.at(first));
}

/**
 * When it was over, or that it fires.
 * @param open what is said of what fires at the end
 */
export function endText(
  run: TurnRun,
  { last, since, ended, exact, times }: TimelineRow,
  open: string,
): string {
  const { words } = run;
  const about = (at: string): string => (exact ? run.at(at) : words.about(run.at(at)));
  if (last !== undefined) return about(last);
  if (since === undefined) return open;
  const over = ended === undefined ? undefined : about(ended);
  return `${open}: ${words.againSince(about(since), times, over)}`;
}

/** In one sentence: `ended about 09:00`, `still firing: fired 2 times, again since 09:10`. */
export function courseText(run: TurnRun, row: TimelineRow): string {
  const { words } = run;
  const end = endText(run, row, words.stillFires);
  if (row.last === undefined) return end;
  const often = row.times > 1 ? `${words.firedTimes(timesText(run, row))}, ` : '';
  return `${often}${words.ended(end)}`;
}

export function timesText({ words }: TurnRun, { times, exact }: TimelineRow): string {
  return exact ? String(times) : words.atLeast(times);
}

/** What must be said of times that are no more than looks at the past. */
export function looksRemark(
  { words }: TurnRun,
  { timeline, precision_seconds: seconds }: AlertTimelineResult,
): readonly string[] {
  return timeline.some(({ exact }) => !exact) && seconds > 0 ? [words.looks(seconds)] : [];
}
