import type { SilenceRow } from '../../tools/silence-row.js';
import type { TurnRun } from '../turn-run.js';
import { code, linkedId, plain, table } from './markdown.js';

/** Silences with their end, creator and reason; empty text when there are none. */
export function silenceTable(run: TurnRun, silences: readonly SilenceRow[]): string {
  if (silences.length === 0) return '';
  const { columns, silenceStates } = run.words;
  const rows = silences.map((silence, index) => [
    String(index + 1),
    silence.matchers.map((matcher) => code(matcher)).join(' '),
    silenceStates[silence.state] ?? silence.state,
    run.at(silence.ends_at),
    plain(silence.created_by),
    plain(silence.comment),
    linkedId(silence.id, silence.url),
  ]);
  const head = [
    '#',
    columns.matchers,
    columns.state,
    columns.ends,
    columns.by,
    columns.comment,
    'ID',
  ];
  return table(head, rows);
}
