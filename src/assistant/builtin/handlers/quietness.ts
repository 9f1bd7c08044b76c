import { cleanText } from '../../sources/clean-text.js';
import type { AlertRow } from '../../tools/alert-row.js';
import { listSilences } from '../../tools/list-silences.tool.js';
import type { ToolResult } from '../../tools/tool.js';
import { lackOf, partly } from '../answer/closing.js';
import { code, plain } from '../answer/markdown.js';
import { silenceTable } from '../answer/silence-table.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { type AlertQuestion, hasConditions } from './alert-question.js';

/** What holds an alert back, for its row. */
export type Quietness = (row: AlertRow) => string;

/** Until when, by whom and why the suppressed alerts are silent; undefined for other questions. */
export async function quietnessOf(
  run: TurnRun,
  { state }: AlertQuestion,
): Promise<Quietness | undefined> {
  if (state !== 'suppressed') return undefined;
  const [alerts, silences] = await Promise.all([
    run.reads.alerts(run.signal),
    run.reads.silences(run.signal),
  ]);
  const known = new Map(
    silences.answers.flatMap(({ value }) =>
      value.map((silence) => [`${silence.source} ${silence.id}`, silence] as const),
    ),
  );
  const texts = new Map<string, string>();
  for (const alert of alerts.answers.flatMap(({ value }) => value)) {
    const reasons = alert.silencedBy.slice(0, 3).map((id) => {
      const silence = known.get(`${alert.source} ${id}`);
      if (silence === undefined) return plain(id, 60);
      const until = run.at(new Date(silence.endsAt).toISOString());
      const [by, comment] = [silence.createdBy, silence.comment].map((t) => cleanText(t, 80));
      return run.words.silencedUntil(until, plain(by ?? ''), plain(comment ?? ''));
    });
    if (alert.inhibitedBy.length > 0) reasons.push(run.words.inhibited(alert.inhibitedBy.length));
    texts.set(`${alert.source} ${alert.fingerprint}`, reasons.join('; '));
  }
  return ({ source, fingerprint }) => texts.get(`${source} ${fingerprint}`) ?? '';
}

/** The silences that name what no alert is called by; nothing when there are none. */
export async function* silencesOf(
  run: TurnRun,
  names: readonly string[],
): Handling<readonly string[]> {
  const text = names.map((name) => name.slice(name.indexOf('=') + 1)).filter((name) => name !== '');
  const result = yield* run.call(listSilences, { state: 'active', text: text.slice(0, 10) });
  const shown = silenceTable(run, result.silences);
  if (shown === '') return unread(run, result);
  const conditions = text.map((one) => code(one)).join(', ');
  const lead = run.words.silences('active', result.total, result.unfiltered, conditions);
  return [partly(run, result, lead), shown];
}

/** `what is muted`: the silences themselves too, also those that hold back nothing now. */
export async function* silencesToo(
  run: TurnRun,
  asked: AlertQuestion,
): Handling<readonly string[]> {
  if (asked.state !== 'suppressed' || hasConditions(asked) || asked.form === 'count') return [];
  const result = yield* run.call(listSilences, { state: 'active' });
  const shown = silenceTable(run, result.silences);
  if (shown === '') return unread(run, result);
  return [
    partly(run, result, run.words.silences('active', result.total, result.unfiltered, '')),
    shown,
  ];
}

/** Silences that no source told are not none. */
function unread(run: TurnRun, result: Pick<ToolResult, 'sources'>): readonly string[] {
  const lack = lackOf(run, result);
  return lack === '' ? [] : [run.words.noneSeen(run.words.what['silences'] ?? '', '', lack)];
}
