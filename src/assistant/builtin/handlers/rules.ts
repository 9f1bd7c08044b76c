import { listRules } from '../../tools/list-rules.tool.js';
import { closing, foundLead, unanswered } from '../answer/closing.js';
import { code, plain, table } from '../answer/markdown.js';
import { understood } from '../answer/understood.js';
import type { Question } from '../parse/question.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { textsOf } from './condition-texts.js';

export async function* answerRules(run: TurnRun, question: Question): Handling {
  const { sentence } = question;
  const { texts, ignored } = textsOf(question);
  const firing = sentence.indexOf('firing');
  const isNot = sentence.has(firing - 1, 'not', 'without');
  const state = sentence.any('pending')
    ? 'pending'
    : firing === -1
      ? 'any'
      : isNot
        ? 'inactive'
        : 'firing';
  const type = sentence.any('recording') ? 'recording' : isAlerting(question) ? 'alerting' : 'any';
  const unhealthy = sentence.any('broken');
  const shown = [
    ...(type === 'any' ? [] : [code(`type=${type}`)]),
    ...(state === 'any' ? [] : [code(`state=${state}`)]),
    ...(unhealthy ? [code('health=err')] : []),
    ...texts.map((text) => code(text)),
  ].join(', ');
  const how = yield* run.explain(
    understood(run, { task: 'rules', filter: shown, notes: question.notes, ignored }),
  );
  const result = yield* run.call(listRules, { state, type, unhealthy, text: [...texts] });
  const none = unanswered(run, result, 'rules');
  if (none !== undefined) return { blocks: none };
  const { columns, states } = run.words;
  const withError = result.rules.some((rule) => rule.last_error !== undefined);
  const head = [
    '#',
    columns.rule,
    columns.state,
    columns.severity,
    columns.expr,
    ...(withError ? [columns.error] : []),
    columns.source,
  ];
  const rows = result.rules.map((rule, index) => [
    String(index + 1),
    code(rule.name),
    rule.state === undefined ? rule.type : (states[rule.state] ?? rule.state),
    plain(rule.labels['severity'] ?? '–'),
    code(rule.expr, 200),
    ...(withError ? [plain(rule.last_error ?? '')] : []),
    plain(rule.source),
  ]);
  return {
    blocks: [
      foundLead(run, result, {
        what: 'rules',
        total: result.total,
        conditions: shown,
        lead: run.words.rules(result.total, result.unfiltered, shown),
      }),
      ...how,
      ...(rows.length === 0 ? [] : [table(head, rows)]),
      ...(result.has_more ? [run.words.more(result.total - rows.length)] : []),
      ...closing(run, result),
    ],
  };
}

function isAlerting({ sentence }: Question): boolean {
  return sentence.parts.some(
    (part) => part.concepts.has('rule') && /alert|告警|报警/.test(part.key),
  );
}
