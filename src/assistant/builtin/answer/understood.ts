import type { Clause } from '../../tools/label-matcher.js';
import type { Note } from '../parse/conditions.types.js';
import type { Threshold } from '../parse/references.js';
import { showInstant } from '../time/zoned.js';
import type { TurnRun } from '../turn-run.js';
import { code, plain } from './markdown.js';
import { showConditions } from './show-conditions.js';
import type { Words } from './words.js';

/** How a question was read, for the user to check. */
export interface Reading {
  /** Key of `words.task`. */
  readonly task: string;
  readonly by?: readonly string[];
  readonly where?: readonly Clause[];
  /** A condition in words, for what no `where` can say. */
  readonly filter?: string;
  readonly expr?: string;
  readonly range?: { readonly start: number; readonly end: number };
  readonly instant?: number;
  readonly state?: string;
  readonly after?: number;
  readonly before?: number;
  readonly order?: string;
  readonly limit?: number;
  readonly threshold?: Threshold;
  readonly inherited?: boolean;
  readonly notes?: readonly Note[];
  readonly ignored?: readonly string[];
}

/** One paragraph, and one more when something was not understood. */
export function understood(run: TurnRun, reading: Reading): readonly string[] {
  return [run.words.understood(partsOf(run, reading)), ...ignoredOf(run.words, reading)];
}

function ignoredOf(words: Words, { ignored = [] }: Reading): readonly string[] {
  if (ignored.length === 0) return [];
  return [
    words.ignored(
      ignored
        .slice(0, 8)
        .map((word) => code(word, 60))
        .join(', '),
    ),
  ];
}

function partsOf(run: TurnRun, reading: Reading): readonly string[] {
  const { words, zone } = run;
  const { by = [], where = [], state, after, before, order, limit, notes = [] } = reading;
  const conditions = showConditions(where, words) + (reading.filter ?? '');
  const time = (at: number | undefined): string | undefined =>
    at === undefined ? undefined : showInstant(at, zone);
  const parts = [words.task[reading.task] ?? reading.task];
  if (by.length > 0) parts.push(words.countedBy(by.map((label) => code(label)).join(', ')));
  if (state !== undefined && state !== 'firing' && state !== 'any') {
    parts.push(words.states[state] ?? state);
  }
  if (conditions !== '') parts.push(words.filter(conditions));
  if (after !== undefined || before !== undefined) {
    parts.push(words.started(time(after), time(before)));
  }
  const { expr, range, instant } = reading;
  if (expr !== undefined) parts.push(words.expression(code(expr, 500)));
  if (range !== undefined) {
    parts.push(words.range(showInstant(range.start, zone), showInstant(range.end, zone)));
  }
  if (instant !== undefined) parts.push(words.instant(showInstant(instant, zone)));
  if (order !== undefined) parts.push(words.orders[order] ?? order);
  const { threshold } = reading;
  if (threshold !== undefined) parts.push(words.threshold(threshold.op, threshold.count));
  if (limit !== undefined) parts.push(words.limit(limit));
  if (reading.inherited === true) parts.push(words.inherited);
  parts.push(...notes.slice(0, 8).map((note) => showNote(note, words)));
  return parts;
}

function showNote(note: Note, words: Words): string {
  const typed = `“${plain(note.typed, 60)}”`;
  switch (note.kind) {
    case 'read':
      return words.readAs(typed, `“${plain(note.readAs, 100)}”`);
    case 'part':
      return words.part(typed, code(note.found, 300));
    case 'other-label':
      return words.otherLabel(typed, code(note.found, 200));
    case 'word':
      return words.word(typed, code(note.found, 200));
    case 'nothing-excluded':
      return words.nothingExcluded(typed);
    case 'no-such-alternative':
      return words.noSuchAlternative(typed);
  }
}
