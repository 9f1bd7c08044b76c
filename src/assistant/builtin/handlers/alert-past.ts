import { alertHistory } from '../../tools/alert-history.tool.js';
import { closing, foundLead, unanswered } from '../answer/closing.js';
import { code, plain, table } from '../answer/markdown.js';
import { showConditions } from '../answer/show-conditions.js';
import { understood } from '../answer/understood.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { type AlertQuestion, readingOf } from './alert-question.js';
import type { PastKind } from './past-question.js';

const DAY = 24 * 3_600_000;
const PAGE = 20;

/** `which alerts resolved today?`, of a source that keeps what has ended. */
export async function* answerPast(run: TurnRun, asked: AlertQuestion, kind: PastKind): Handling {
  const { words } = run;
  const until = Math.min(asked.before ?? run.now, run.now);
  const since = asked.after ?? until - DAY;
  const result = yield* run.call(alertHistory, {
    since: new Date(since).toISOString(),
    until: new Date(until).toISOString(),
    state: kind === 'ended' ? 'ended' : 'any',
    where: [...asked.where],
    limit: Math.min(asked.limit ?? PAGE, 100),
  });
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  const { columns } = words;
  const head = [columns.alert, columns.severity, columns.since, columns.ends, columns.summary];
  const rows = result.alerts.map((alert) => [
    code(alert.name),
    plain(alert.severity ?? ''),
    run.at(alert.triggered_at),
    alert.ended_at === undefined ? words.stillFiring : run.at(alert.ended_at),
    plain(alert.summary ?? ''),
  ]);
  const filter = showConditions(asked.where, words);
  const from = new Date(since).toISOString();
  return {
    blocks: [
      foundLead(run, result, {
        what: 'alerts',
        total: result.total,
        conditions: filter,
        lead: words.past(result.total, filter, run.at(from), run.at(new Date(until).toISOString())),
      }),
      ...understood(run, readingOf(asked, kind === 'ended' ? 'ended' : 'history')),
      ...(rows.length === 0 ? [] : [table(head, rows)]),
      ...(result.has_more ? [words.more(result.total - rows.length)] : []),
      ...closing(run, result),
    ],
  };
}
