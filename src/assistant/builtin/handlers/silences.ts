import { listSilences } from '../../tools/list-silences.tool.js';
import { closing, foundLead, unanswered } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import { silenceTable } from '../answer/silence-table.js';
import { understood } from '../answer/understood.js';
import type { Question } from '../parse/question.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { textsOf } from './condition-texts.js';

export async function* answerSilences(run: TurnRun, question: Question): Handling {
  const { sentence } = question;
  const { texts, ignored } = textsOf(question);
  const state = sentence.any('all')
    ? 'any'
    : sentence.any('expired')
      ? 'expired'
      : sentence.any('pending')
        ? 'pending'
        : 'active';
  const conditions = texts.map((text) => code(text)).join(', ');
  const how = yield* run.explain(
    understood(run, { task: 'silences', filter: conditions, notes: question.notes, ignored }),
  );
  const result = yield* run.call(listSilences, { state, text: [...texts] });
  const none = unanswered(run, result, 'silences');
  if (none !== undefined) return { blocks: none };
  return {
    blocks: [
      foundLead(run, result, {
        what: 'silences',
        total: result.total,
        conditions: conditions,
        lead: run.words.silences(state, result.total, result.unfiltered, conditions),
      }),
      ...how,
      ...[silenceTable(run, result.silences)].filter((text) => text !== ''),
      ...(result.has_more ? [run.words.more(result.total - result.silences.length)] : []),
      ...closing(run, result),
    ],
  };
}
