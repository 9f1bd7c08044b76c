import { compileWhere } from '../../tools/label-matcher.js';
import type { ListAlertsResult } from '../../tools/list-alerts.tool.js';
import { reportOf } from '../../tools/tool.js';
import { lackOf } from '../answer/closing.js';
import { code, plain } from '../answer/markdown.js';
import { showConditions } from '../answer/show-conditions.js';
import type { TurnRun } from '../turn-run.js';
import type { AlertQuestion } from './alert-question.js';

const NAMED = 5;

/**
 * Says how many alerts Prometheus fires that the alert routers do not have, in a question about what
 * fires: then nobody was notified of them, and "all quiet" would be false. The same where nothing
 * fires and a Prometheus did not answer. Undefined for none.
 */
export async function unroutedLead(
  run: TurnRun,
  asked: AlertQuestion,
  { sources, total }: Pick<ListAlertsResult, 'sources' | 'total'>,
): Promise<string | undefined> {
  if (asked.state !== 'firing') return undefined;
  const { after = -Infinity, before = Infinity } = asked;
  const holds = compileWhere([...asked.where]);
  const unrouted = await run.reads.unrouted(run.signal);
  const found = unrouted?.alerts.filter(
    ({ labels, annotations, startsAt }) =>
      holds(labels, annotations) && startsAt >= after && startsAt < before,
  );
  if (found === undefined || unrouted === undefined) return undefined;
  if (found.length === 0) {
    // Without the rules nothing would reach a router either.
    const lack = lackOf(run, reportOf(unrouted.rules));
    if (lack === '' || total > 0) return undefined;
    const conditions = showConditions(asked.where, run.words);
    return run.words.noneSeen(run.words.alertsThat(asked.state), conditions, lack);
  }
  const names = [...new Set(found.map(({ labels }) => labels['alertname'] ?? ''))];
  const shown = names.slice(0, NAMED).map((name) => code(name));
  const left = names.length - shown.length;
  const list = `${shown.join(', ')}${left > 0 ? ` (+${String(left)})` : ''}`;
  const routers = sources.filter(({ error }) => error === undefined).map(({ name }) => plain(name));
  return run.words.unrouted(found.length, list, routers.join(', '));
}
