import { listTargets } from '../../tools/list-targets.tool.js';
import { closing, foundLead, unanswered } from '../answer/closing.js';
import { code, pair, plain, table } from '../answer/markdown.js';
import { showConditions } from '../answer/show-conditions.js';
import { understood } from '../answer/understood.js';
import type { Question } from '../parse/question.js';
import { clausesOf } from './condition-texts.js';
import type { Handling, TurnRun } from '../turn-run.js';

export async function* answerTargets(run: TurnRun, question: Question): Handling {
  const { sentence, conditions } = question;
  const down = sentence.any('down') || isNotUp(question) || asksForAll(question);
  const health = down
    ? 'down'
    : sentence.any('up') && !sentence.has(0, 'is') && !sentence.any('check') && !sentence.any('all')
      ? 'up'
      : 'any';
  const missing = conditions.unmatched.map(({ text }) => code(text)).join(', ');
  const said = [showConditions(conditions.where, run.words), missing].filter((p) => p !== '');
  const filter = said.join(', ');
  const how = yield* run.explain(
    understood(run, {
      task: 'targets',
      state: health,
      filter,
      notes: question.notes,
      ignored: [...question.ignored, ...question.grouping.missing, ...question.timeTexts],
    }),
  );
  const result = yield* run.call(listTargets, {
    health,
    where: [...conditions.where, ...clausesOf(conditions.unmatched)].slice(0, 20),
  });
  const none = unanswered(run, result, 'targets');
  if (none !== undefined) return { blocks: none };
  const { columns, states } = run.words;
  const matching = missing === '' ? result.up + result.down + result.unknown : 0;
  const rows = missing === '' ? result.targets : [];
  const withError = rows.some((row) => row.last_error !== undefined);
  const withSource = new Set(rows.map((row) => row.source)).size > 1;
  const head = [
    '#',
    columns.labels,
    columns.health,
    ...(withError ? [columns.error] : []),
    columns.lastScrape,
    ...(withSource ? [columns.source] : []),
  ];
  const cells = rows.map((row, index) => [
    String(index + 1),
    Object.entries(row.labels)
      .map(([name, value]) => pair(name, value))
      .join(' '),
    states[row.health] ?? row.health,
    ...(withError ? [plain(row.last_error ?? '')] : []),
    row.last_scrape === undefined ? '–' : run.at(row.last_scrape),
    ...(withSource ? [plain(row.source)] : []),
  ]);
  const lead =
    matching === 0
      ? run.words.noTarget(filter, result.unfiltered)
      : run.words.targets({
          total: matching,
          up: result.up,
          down: result.down,
          unknown: result.unknown,
          conditions: filter,
        });
  return {
    blocks: [
      foundLead(run, result, { what: 'targets', total: matching, conditions: filter, lead }),
      ...how,
      ...(cells.length === 0 ? [] : [table(head, cells)]),
      ...(missing === '' && result.has_more ? [run.words.more(result.total - rows.length)] : []),
      ...closing(run, result),
    ],
  };
}

/** `is everything up?`, 都正常吗: those that are not are the answer. */
export function asksForAll({ sentence }: Question): boolean {
  const asked = sentence.has(0, 'is') || sentence.any('check');
  const isState = sentence.any('up') || sentence.any('ok');
  return asked && isState && sentence.segments.some(({ key }) => ALL.test(key));
}

const ALL = /^(?:all|all of|everything|everyone|each|every|都|全|全都|全部|所有|一切|每个)$/;

function isNotUp({ sentence }: Question): boolean {
  const index = sentence.parts.findIndex(
    (part) => part.concepts.has('up') || part.concepts.has('ok'),
  );
  return index > 0 && sentence.has(index - 1, 'not', 'without');
}
