import { listSilences } from '../../tools/list-silences.tool.js';
import { closing, unanswered } from '../answer/closing.js';
import { code, plain, table } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import type { Question } from '../parse/question.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { textsOf } from './condition-texts.js';

export async function* answerSilences(run: TurnRun, question: Question): Handling {
  const { sentence } = question;
  const { texts, ignored } = textsOf(question);
  const state = sentence.any('expired')
    ? 'expired'
    : sentence.any('pending')
      ? 'pending'
      : sentence.any('all')
        ? 'any'
        : 'active';
  const conditions = texts.map((text) => code(text)).join(', ');
  const how = yield* run.explain(
    understood(run, { task: 'silences', filter: conditions, notes: question.notes, ignored }),
  );
  const result = yield* run.call(listSilences, { state, text: [...texts] });
  const none = unanswered(run, result, 'silences');
  if (none !== undefined) return { blocks: none };
  const { columns } = run.words;
  const rows = result.silences.map((silence, index) => [
    String(index + 1),
    silence.matchers.map((matcher) => code(matcher)).join(' '),
    run.words.silenceStates[silence.state] ?? silence.state,
    run.at(silence.ends_at),
    plain(silence.created_by),
    plain(silence.comment),
    code(silence.id),
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
  return {
    blocks: [
      run.words.silences(state, result.total, result.unfiltered, conditions),
      ...how,
      ...(rows.length === 0 ? [] : [table(head, rows)]),
      ...(result.has_more ? [run.words.more(result.total - rows.length)] : []),
      ...closing(run, result),
    ],
  };
}
