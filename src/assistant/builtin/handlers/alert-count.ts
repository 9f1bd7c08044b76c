import { countAlerts } from '../../tools/count-alerts.tool.js';
import { countTable, extreme } from '../answer/alert-count.js';
import { closing, unanswered } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import type { Vocabulary } from '../parse/vocabulary.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { leadOf, noteworthy } from './alert-list.js';
import { type AlertQuestion, memoryOf, readingOf, selectionOf } from './alert-question.js';

const MOST_GROUPS = 30;

/** `how many in prod and staging`: each of them is wanted. */
function comparedLabels({ where }: AlertQuestion): readonly string[] {
  return where.flatMap((clause) =>
    !('any' in clause) &&
    clause.op === '=' &&
    clause.values.length > 1 &&
    clause.label !== undefined
      ? [clause.label]
      : [],
  );
}

/** How many there are, in all and by what was asked for, else by severity. */
export async function* answerCount(
  run: TurnRun,
  asked: AlertQuestion,
  vocabulary: Vocabulary,
): Handling {
  const { words } = run;
  const { sentence, grouping } = asked.question;
  const kind = sentence.any('most') ? 'most' : sentence.any('least') ? 'least' : undefined;
  const missing = grouping.missing[0];
  const wanted = asked.by.length > 0 ? asked.by : comparedLabels(asked).slice(0, 2);
  const by = wanted.length > 0 ? [...wanted] : [kind === undefined ? 'severity' : 'alertname'];
  const limit = Math.min(asked.limit ?? MOST_GROUPS, 100);
  const result = yield* run.call(countAlerts, { ...selectionOf(asked), by, limit });
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  const lead = leadOf(run, asked, result);
  const counted = wanted.length > 0 || kind !== undefined;
  const best =
    kind === undefined || (kind === 'least' && result.has_more)
      ? undefined
      : extreme(run, result, kind);
  const labels = vocabulary.labelNames.slice(0, 20).map((name) => code(name));
  const left = asked.limit === undefined ? result.total_groups - result.groups.length : 0;
  return {
    blocks: [
      [
        grouping.counted ? words.groupCount(code(by.join()), result.labelled_groups, lead) : lead,
        best,
      ]
        .filter((part) => part !== undefined)
        .join(' '),
      ...(missing === undefined ? [] : [words.noSuchLabel(code(missing), labels.join(', '))]),
      ...understood(run, { ...readingOf(asked, 'count'), by }),
      ...(counted && result.total_groups > 0
        ? [words.groups(by.map((label) => code(label)).join(', '), result.total_groups)]
        : []),
      ...(missing !== undefined && !counted
        ? []
        : [countTable(run, result)].filter((t) => t !== '')),
      ...(left > 0 ? [words.more(left)] : []),
      ...noteworthy(run, result),
      ...closing(run, result),
    ],
    memory: memoryOf({ ...asked, by }, run.memory?.listed ?? [], 0),
  };
}
