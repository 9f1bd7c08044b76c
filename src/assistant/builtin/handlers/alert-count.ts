import { countAlerts, type CountAlertsResult } from '../../tools/count-alerts.tool.js';
import { SEVERITY_LABELS } from '../../tools/severity.js';
import { countTable, extreme } from '../answer/alert-count.js';
import { closing, unanswered } from '../answer/closing.js';
import { code } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import type { Threshold } from '../parse/references.js';
import type { Vocabulary } from '../parse/vocabulary.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { leadOf, noteworthy, passes } from './alert-list.js';
import { type AlertQuestion, memoryOf, readingOf, selectionOf } from './alert-question.js';
import { unroutedLead } from './unrouted.js';

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

/** By severity where nothing else was asked for, unless there is only one. */
function usualGroups({ where }: AlertQuestion, isSuperlative: boolean): string[] {
  if (isSuperlative) return ['alertname'];
  const isOne = where.some(
    (clause) =>
      !('any' in clause) &&
      clause.op === '=' &&
      clause.values.length === 1 &&
      SEVERITY_LABELS.some((name) => name === clause.label),
  );
  return isOne ? [] : ['severity'];
}

/** The groups that are as big as was asked for. */
function onlyGroups(result: CountAlertsResult, threshold: Threshold): CountAlertsResult {
  const groups = result.groups.filter(
    ({ keys, count }) => keys.some((key) => key !== '') && passes(count, threshold),
  );
  return { ...result, groups, total_groups: groups.length, labelled_groups: groups.length };
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
  const by = wanted.length > 0 ? [...wanted] : usualGroups(asked, kind !== undefined);
  const { threshold } = asked.question.references;
  const isOfGroups = threshold !== undefined && wanted.length > 0;
  const limit = isOfGroups ? 100 : Math.min(asked.limit ?? MOST_GROUPS, 100);
  const found = yield* run.call(countAlerts, { ...selectionOf(asked), by, limit });
  const none = unanswered(run, found, 'alerts');
  if (none !== undefined) return { blocks: none };
  const result = isOfGroups ? onlyGroups(found, threshold) : found;
  const lost = result.total === 0 ? await unroutedLead(run, asked, result) : undefined;
  const lead = lost ?? leadOf(run, asked, result);
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
      ...(counted && (isOfGroups || result.total_groups > 0)
        ? [words.groups(by.map((label) => code(label)).join(', '), result.total_groups)]
        : []),
      ...(missing !== undefined && !counted
        ? []
        : [by.length === 0 ? '' : countTable(run, result)].filter((t) => t !== '')),
      ...(left > 0 ? [words.more(left)] : []),
      ...noteworthy(run, result),
      ...closing(run, result),
    ],
    memory: memoryOf({ ...asked, by }, run.memory?.listed ?? [], 0),
  };
}
