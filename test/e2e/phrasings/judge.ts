import type { Expected, FactAlert, Facts, FactSilence } from './phrasing.js';

export type Verdict = 'understood' | 'not understood' | 'wrong';

export interface Judgement {
  readonly verdict: Verdict;
  /** What is amiss; empty when understood. */
  readonly why: string;
}

export interface Judged {
  readonly asked: string;
  readonly answer: string;
  readonly expected: Expected;
  readonly facts: Facts;
  /** Of the times in the answer. */
  readonly timezone: string;
}

/**
 * Understood: every name, number and time that was asked for is there, and none else. Not
 * understood: the answer says so, or says which of the asked words it did not apply. Everything
 * else is wrong, an answer to another question included: it reads like an answer to this one.
 */
export function judge(judged: Judged): Judgement {
  if (REFUSAL.test(judged.answer) && judged.expected.kind !== 'refusal') {
    return { verdict: 'not understood', why: 'says so' };
  }
  const faults = faultsOf(judged);
  if (faults.length === 0) return { verdict: 'understood', why: '' };
  const honest = caveat(judged.answer, judged.asked);
  return honest === undefined
    ? { verdict: 'wrong', why: faults.join('; ') }
    : { verdict: 'not understood', why: `says: ${honest}` };
}

/** The names of the alerts in the order in which the answer gives them. */
export function namedIn(answer: string, facts: Facts): string[] {
  return facts.alerts
    .map(({ labels }) => labels['alertname']!)
    .filter((name) => answer.includes(name))
    .sort((a, b) => answer.indexOf(a) - answer.indexOf(b));
}

const REFUSAL = /did not understand the question|没有理解这个问题/;
const NOT_APPLIED =
  /not (be )?(understood|applied|used|known)|did not understand|could not|cannot|ignored|unknown|no alert (has|with)|no label|read as a word, not as|没有理解|未理解|未能|无法|忽略|不认识|未识别|未知|没有.*标签/i;
const QUOTED = /[“"`「']([^”"`」']+)[”"`」']/g;

/** The line that owns up to a word of the question. */
function caveat(answer: string, asked: string): string | undefined {
  return answer
    .split('\n')
    .filter((line) => !line.startsWith('|'))
    .flatMap((line) => line.split(/[.;。；] ?/))
    .find(
      (part) =>
        NOT_APPLIED.test(part) &&
        [...part.matchAll(QUOTED)].some(([, word]) =>
          asked.toLowerCase().includes(word!.trim().toLowerCase()),
        ),
    );
}

function faultsOf(judged: Judged): string[] {
  const { expected, facts, answer } = judged;
  switch (expected.kind) {
    case 'alerts':
      return [...naming(judged, expected.alerts), ...headline(answer, expected.alerts, facts)];
    case 'count':
      return [
        ...headline(answer, expected.alerts, facts),
        ...strangers(judged, expected.alerts),
        ...undated(judged, expected.alerts),
      ];
    case 'groups':
      return grouping(answer, expected.labels, expected.alerts);
    case 'detail':
      return [
        ...naming(judged, [expected.alert]),
        ...lacks(answer, Object.values(expected.alert.labels)),
      ];
    case 'alerting':
      return yesOrNo(judged, expected.alerts);
    case 'silences':
      return silencing(judged, expected.silences);
    case 'targets':
      return [
        ...lacks(answer, facts.targets.down, facts.targets.up),
        ...boldNumbers(answer, [facts.targets.down.length], Object.values(facts.targets).flat()),
      ];
    case 'rules':
      return [
        ...lacks(answer, facts.rules),
        ...boldNumbers(answer, [facts.rules.length], facts.rules),
      ];
    case 'value':
      return new RegExp(`\\| ${expected.value} \\||[:=：是] *\\**${expected.value}\\b`).test(answer)
        ? []
        : [`the value ${expected.value} is not there`];
    case 'says':
      return lacks(answer, expected.holds, expected.lacks);
    case 'refusal':
      return REFUSAL.test(answer) ? [] : ['does not say that it cannot tell'];
    case 'help':
      return /I only read|我只读取数据/.test(answer) ? [] : ['does not say what can be asked'];
  }
}

function naming(judged: Judged, alerts: readonly FactAlert[]): string[] {
  const missing = active(alerts)
    .map(nameOf)
    .filter((name) => !judged.answer.includes(name));
  return [
    ...missing.map((name) => `${name} is missing`),
    ...strangers(judged, alerts),
    ...undated(judged, alerts),
  ];
}

function strangers({ answer, facts }: Judged, alerts: readonly FactAlert[]): string[] {
  const right = alerts.map(nameOf);
  return namedIn(answer, facts)
    .filter((name) => !right.includes(name))
    .map((name) => `${name} does not belong there`);
}

/** A named alert has its start: in its row, or in the text when it is the only one. */
function undated({ answer, timezone }: Judged, alerts: readonly FactAlert[]): string[] {
  return alerts
    .filter((alert) => answer.includes(nameOf(alert)))
    .filter((alert) => {
      const rows = answer.split('\n').filter((line) => line.startsWith('|'));
      const own = rows.find((row) => row.includes(nameOf(alert))) ?? answer;
      return !own.includes(local(alert.startsAt, timezone));
    })
    .map((alert) => `${nameOf(alert)} has not its start ${local(alert.startsAt, timezone)}`);
}

/** Silenced alerts may be left out of a number, or be in it when the answer mentions them. */
function headline(answer: string, alerts: readonly FactAlert[], facts: Facts): string[] {
  const right = [active(alerts).length, alerts.length];
  const totals = [active(facts.alerts).length, facts.alerts.length];
  const bold = boldOf(answer);
  if (alerts.length === 0 && (DENIAL.test(answer) || NONE.test(bold))) return [];
  return boldNumbers(answer, right, [], totals);
}

const DENIAL = /^\**(no\b|none|not\b|否|没有|无|当前没有)/i;
const NONE = /\bno(ne| alerts?)\b|没有|无/i;
const CONSENT = /^\**(yes\b|是|有|对)/i;

function boldNumbers(
  answer: string,
  right: readonly number[],
  all: readonly unknown[] = [],
  totals: readonly number[] = [all.length],
): string[] {
  const bold = boldOf(answer);
  const numbers = [...bold.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  const isRight = numbers.some((number) => right.includes(number));
  const others = numbers.filter((number) => !right.includes(number) && !totals.includes(number));
  return isRight && others.length === 0 ? [] : [`says “${bold}”, the number is ${right.at(-1)!}`];
}

/** The answer in a word: what is in bold first. */
function boldOf(answer: string): string {
  return /\*\*([^*]+)\*\*/.exec(answer)?.[1] ?? answer.split('\n')[0]!;
}

function yesOrNo(judged: Judged, alerts: readonly FactAlert[]): string[] {
  const { answer, facts } = judged;
  if (alerts.length === 0) {
    const no = DENIAL.test(answer) || headline(answer, [], facts).length === 0;
    return [...(no ? [] : ['does not say no']), ...strangers(judged, [])];
  }
  if (DENIAL.test(answer)) return ['says no'];
  if (namedIn(answer, facts).length > 0) return naming(judged, alerts);
  return CONSENT.test(answer) ? [] : ['says neither yes nor which'];
}

/** Silences by matcher and end; of some, the alerts that they silence will do. */
function silencing({ answer, facts, timezone }: Judged, right: readonly FactSilence[]): string[] {
  const others = facts.silences.filter((silence) => !right.includes(silence));
  const named = namedIn(answer, facts).sort().join();
  const suppressed = facts.alerts.filter(({ status }) => status.state === 'suppressed');
  if (others.length > 0 && named === suppressed.map(nameOf).sort().join()) return [];
  return lacks(
    answer,
    right.flatMap(({ matchers, endsAt }) => [
      ...matchers.map((matcher) => matcher.value),
      local(endsAt, timezone),
    ]),
    others.flatMap(({ matchers }) => matchers.map((matcher) => matcher.value)),
  );
}

function grouping(
  answer: string,
  labels: readonly string[],
  alerts: readonly FactAlert[],
): string[] {
  const keys = labels.map(() => '`?([^|`]+?)`?').join(' \\| ');
  const said = [...answer.matchAll(new RegExp(`^\\| ${keys} \\| (\\d+) \\|`, 'gm'))]
    .map(([, ...cells]) => `${cells.slice(0, -1).join('/')}=${cells.at(-1)!}`)
    .sort()
    .join(' ');
  const right = [alerts, active(alerts)].map((counted) => {
    const numbers = new Map<string, number>();
    for (const alert of counted) {
      const value = labels.map((label) => alert.labels[label]!).join('/');
      numbers.set(value, (numbers.get(value) ?? 0) + 1);
    }
    return [...numbers].map(([value, number]) => `${value}=${number}`).sort();
  });
  return right.some((pairs) => pairs.join(' ') === said)
    ? []
    : [`says “${said}”, right is “${right[0]!.join(' ')}”`];
}

function lacks(
  answer: string,
  wanted: readonly string[],
  unwanted: readonly string[] = [],
): string[] {
  return [
    ...wanted.filter((part) => !answer.includes(part)).map((part) => `${part} is missing`),
    ...unwanted
      .filter((part) => answer.includes(part))
      .map((part) => `${part} does not belong there`),
  ];
}

function active(alerts: readonly FactAlert[]): FactAlert[] {
  return alerts.filter(({ status }) => status.state !== 'suppressed');
}

function nameOf(alert: FactAlert): string {
  return alert.labels['alertname']!;
}

/** 2026-11-30 07:29:58, of an ISO instant. */
function local(instant: string, timezone: string): string {
  return new Date(instant).toLocaleString('sv-SE', { timeZone: timezone });
}
