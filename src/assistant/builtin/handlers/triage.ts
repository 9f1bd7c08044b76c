import { alertTimeline, type AlertTimelineResult } from '../../tools/alert-timeline.tool.js';
import type { AlertRow } from '../../tools/alert-row.js';
import { countAlerts } from '../../tools/count-alerts.tool.js';
import { listAlerts } from '../../tools/list-alerts.tool.js';
import { listTargets } from '../../tools/list-targets.tool.js';
import type { ToolResult } from '../../tools/tool.js';
import { lackOf, unanswered } from '../answer/closing.js';
import { code, pair, plain } from '../answer/markdown.js';
import { beganText, courseText, looksRemark } from '../answer/stretches.js';
import { type Question, readQuestion } from '../parse/question.js';
import type { Vocabulary } from '../parse/vocabulary.js';
import type { Handling, TurnRun } from '../turn-run.js';
import { clausesOf } from './condition-texts.js';
import { alertQuestion, selectionOf } from './alert-question.js';
import { listAnswer, PAGE } from './alert-list.js';

const ENGLISH =
  /\b(?:(?:please |can you |could you )?(?:do |run |give me |start )?(?:an? |the )?(?:first |initial |quick )?triage(?: (?:this|it|everything|(?:the |this )?(?:incident|outage|situation)))?(?: for me)?|what(?:'s| is| the hell is) (?:going on|happening)(?: here)?(?: right now| now)?|what happened(?: here)?(?: just now)?|sitrep|situation report)(?![\w-])/iu;
const CHINESE =
  /(?:现在|目前|刚才|刚刚|到底)?(?:出(?:了)?什么(?:事|情况|状况)(?:情|儿)?(?:了)?|出(?:了)?啥事(?:儿)?(?:了)?|发生(?:了)?(?:什么|啥)(?:事情?)?(?:了)?)|(?:做(?:一?[个次])?|来(?:一?[个次])?)?(?:故障|事件)?(?:分诊|初步排查|初步诊断)/u;
const HOURS = 6;
const EVENTS = 8;
const GROUP_LABELS = [
  ['busigroup', 'group_name', 'team'],
  ['cluster', 'env', 'environment', 'region', 'namespace'],
  ['service', 'app', 'application', 'job'],
  ['host', 'hostname', 'ident', 'node', 'pod', 'instance'],
];
const GROUPS = 4;
const DOWN = 5;

/**
 * `what's going on in prod?`, 出什么事了: the question without those words, when everything else in it
 * is understood as a condition on alerts; undefined for any other question.
 */
export function triageQuestion(
  text: string,
  vocabulary: Vocabulary,
  run: TurnRun,
): Question | undefined {
  const match = ENGLISH.exec(text) ?? CHINESE.exec(text);
  if (match === null) return undefined;
  const rest = `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`;
  const question = readQuestion(rest, vocabulary, run);
  const { conditions, ignored, unsure, sentence } = question;
  // What has ended has no live value: `triage env=flap`, `triage flap`.
  const isLone = sentence.parts.length === 1 && sentence.parts[0]?.kind === 'unknown';
  const isTriage = ASKED.test(match[0]) && (unsure.length === 0 || isLone);
  const isPlain = isTriage || conditions.unmatched.length + ignored.length + unsure.length === 0;
  // `what's going on with HighErrorRate` asks about one alert.
  const isOne = conditions.where.some(
    (clause) => !('any' in clause) && clause.label === 'alertname',
  );
  const isOther = (['silence', 'target', 'rule', 'source', 'count'] as const).some((concept) =>
    sentence.any(concept),
  );
  const fits = isPlain && !isOne && !isOther && question.time === undefined;
  return fits ? withoutLive(question) : undefined;
}

const ASKED = /triage|sitrep|situation report|分诊|排查|诊断/iu;

/** Conditions on what may have ended, as they were said: with a label, or as a word. */
function withoutLive(question: Question): Question {
  const { conditions, ignored, unsure } = question;
  const { unmatched } = conditions;
  if (unmatched.length + ignored.length + unsure.length === 0) return question;
  const labelled = clausesOf(unmatched.filter(({ text }) => text.includes('=')));
  const words = [...unmatched.map(({ text }) => text), ...ignored, ...unsure].filter(
    (text) => !text.includes('='),
  );
  const contained = [...new Set(words)].map((text) => {
    return { op: 'contains' as const, values: [text.slice(0, 500)] };
  });
  const where = [...conditions.where, ...labelled, ...contained].slice(0, 20);
  return {
    ...question,
    ignored: [],
    unsure: [],
    conditions: { ...conditions, where, unmatched: [] },
  };
}

/** The first look at an incident: what fires, what began first, who is affected, what to ask next. */
export async function* answerTriage(
  run: TurnRun,
  question: Question,
  vocabulary: Vocabulary,
): Handling {
  const { words } = run;
  const asked = alertQuestion(run, question);
  const selection = selectionOf(asked);
  // Read later on: begun now, a source that hangs is waited for once, not once a question.
  void Promise.allSettled([
    run.reads.unrouted(run.signal),
    ...(asked.where.length > 0 ? [] : [run.reads.targets(run.signal)]),
  ]);
  const listed = yield* run.call(listAlerts, { ...selection, order: 'severity', limit: PAGE });
  const none = unanswered(run, listed, 'alerts');
  if (none !== undefined) return { blocks: none };
  const start = new Date(run.now - HOURS * 3_600_000).toISOString();
  const end = new Date(run.now).toISOString();
  const timeline = yield* run.call(alertTimeline, {
    ...{ start, end, limit: 30 },
    where: [...asked.where],
  });
  const list = yield* listAnswer(run, asked, listed, listed.alerts, true);
  const [lead = '', ...rest] = list.blocks;
  const first = timeline.timeline.find(
    ({ last, first: began }) => last === undefined && began >= start,
  )?.name;
  const away = awayOf(run, timeline);
  const looked = [
    ...(listed.total === 0 ? [] : yield* severities(run, selection)),
    ...(listed.total === 0 ? [] : yield* affected(run, selection, vocabulary)),
    // Targets have labels of their own: a condition on alerts says nothing of them.
    ...(asked.where.length > 0 ? [] : yield* downTargets(run, away)),
  ];
  for (const { name } of listed.sources) away.delete(name);
  return {
    ...list,
    blocks: [
      lead,
      ...[...away.values()].map((failure) => words.missing(failure)),
      ...(looked.length === 0 ? [] : [looked.map((line) => `- ${line}`).join('\n')]),
      ...events(run, timeline),
      ...rest,
      ...(listed.total === 0
        ? []
        : [nextSteps(run, first ?? listed.alerts[0]?.name, listed.alerts)]),
    ].filter((block) => block !== words.noHistory),
  };
}

/** In the order in which they began; an incident's cause is often the first. */
function events(run: TurnRun, result: AlertTimelineResult): readonly string[] {
  const { words } = run;
  const { timeline, total, sources, ended_known: someKnown } = result;
  const isKnown = someKnown && sources.every(({ error }) => error === undefined);
  if (timeline.length === 0) return isKnown ? [words.quietBefore(HOURS)] : [];
  const lines = timeline.slice(0, EVENTS).map((row, index) => {
    const { name, severity, labels } = row;
    const told = [severity === undefined ? undefined : plain(severity), mainLabel(labels)]
      .filter((text) => text !== undefined)
      .join(', ');
    return `${String(index + 1)}. ${beganText(run, row)} ${code(name)}${told === '' ? '' : ` (${told})`}: ${courseText(run, row)}`;
  });
  return [
    [words.inOrder(HOURS), '', ...lines].join('\n'),
    ...(total > EVENTS ? [words.more(total - EVENTS)] : []),
    ...looksRemark(run, result),
    ...(isKnown ? [] : [words.endedUnknown]),
  ];
}

function mainLabel(labels: Readonly<Record<string, string>>): string | undefined {
  const name = ['service', 'app', 'host', 'hostname', 'ident', 'instance', 'job'].find(
    (one) => labels[one] !== undefined,
  );
  return name === undefined ? undefined : pair(name, labels[name] ?? '');
}

async function* severities(
  run: TurnRun,
  selection: ReturnType<typeof selectionOf>,
): Handling<readonly string[]> {
  const { groups } = yield* run.call(countAlerts, { ...selection, by: ['severity'], limit: 10 });
  const parts = groups.map(({ keys: [key = ''], count }) => {
    return `${key === '' ? run.words.without : plain(key)} ${String(count)}`;
  });
  return [`${run.words.columns.severity}: ${parts.join(', ')}`];
}

/** The labels that say whom it hits, one of each kind. */
async function* affected(
  run: TurnRun,
  selection: ReturnType<typeof selectionOf>,
  { labelNames }: Vocabulary,
): Handling<readonly string[]> {
  const names = GROUP_LABELS.flatMap(
    (kind) => kind.find((name) => labelNames.includes(name)) ?? [],
  );
  const lines: string[] = [];
  for (const name of names) {
    const { groups, total_groups: total } = yield* run.call(countAlerts, {
      ...selection,
      by: [name],
      limit: GROUPS + 1,
    });
    const shown = groups.filter(({ keys: [key = ''] }) => key !== '').slice(0, GROUPS);
    if (shown.length === 0) continue;
    const parts = shown.map(({ keys: [key = ''], count }) => `${code(key)} ${String(count)}`);
    const left = total - shown.length;
    lines.push(
      `${run.words.affected(code(name))}: ${parts.join(', ')}${left > 0 ? ` (+${String(left)})` : ''}`,
    );
  }
  return lines;
}

/** What did not answer, by the name of the source. */
function awayOf(run: TurnRun, { sources }: Pick<ToolResult, 'sources'>): Map<string, string> {
  const failed = sources.filter(({ error }) => error !== undefined);
  return new Map(failed.map((one) => [one.name, lackOf(run, { sources: [one] })]));
}

async function* downTargets(run: TurnRun, away: Map<string, string>): Handling<readonly string[]> {
  const able = run.reads.sources.all.some(({ metrics, inventory }) => metrics ?? inventory);
  if (!able) return [];
  const result = yield* run.call(listTargets, { health: 'down', limit: DOWN });
  const { targets, down, up, unknown } = result;
  for (const [name, failure] of awayOf(run, result)) away.set(name, failure);
  if (down === 0) return [];
  const names = targets.map(({ labels }) => code(labels['instance'] ?? labels['ident'] ?? '–'));
  return [run.words.downTargets(down, down + up + unknown, names.join(', '))];
}

/** Questions that go on from here, ready to be sent. */
function nextSteps(run: TurnRun, first: string | undefined, alerts: readonly AlertRow[]): string {
  const host = alerts.flatMap(({ labels }) => hostOf(labels) ?? [])[0];
  const lines = run.words.nextSteps({
    ...(first === undefined ? {} : { alert: first }),
    ...(host === undefined ? {} : { host }),
  });
  return [run.words.next, '', ...lines.map((line) => `- ${line}`)].join('\n');
}

/** Before `instance`, which is the exporter where a host is named, too. */
function hostOf(labels: Readonly<Record<string, string>>): string | undefined {
  const name = ['host', 'hostname', 'ident', 'instance'].find((one) => labels[one] !== undefined);
  return name === undefined ? undefined : labels[name];
}
