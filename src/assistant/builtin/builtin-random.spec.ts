import { describe, expect, it } from 'vitest';
import { FakeSources, MINUTE, NOW, Talk } from '../../../test/support/fake-sources.js';
import { type AlertSet, alertSet, pick, randomOf } from '../../../test/support/random-alerts.js';
import type { Alert } from '../sources/source.types.js';

type Holds = (alert: Alert) => boolean;

interface Asked {
  readonly text: string;
  readonly holds: Holds;
}

const HOUR = 60 * MINUTE;

/** Questions about one label, one severity, one name and one time, with what they mean. */
function questions(set: AlertSet, seed: number): readonly Asked[] {
  const random = randomOf(seed);
  const [label, values] = pick(random, [...set.labels]);
  const value = pick(random, values);
  const other = pick(random, values);
  const severity = pick(random, set.severities);
  const { labels } = pick(random, set.alerts);
  const name = labels['alertname'] ?? '';
  const is: Holds = (alert) => alert.labels[label] === value;
  const severe: Holds = (alert) => alert.labels['severity'] === severity;
  const named: Holds = (alert) => alert.labels['alertname'] === name;
  const since =
    (at: number): Holds =>
    (alert) =>
      alert.startsAt >= at;
  const both =
    (a: Holds, b: Holds): Holds =>
    (alert) =>
      a(alert) && b(alert);
  const not =
    (a: Holds): Holds =>
    (alert) =>
      !a(alert);
  const all: Holds = () => true;
  const quoted = `${label}="${value}"`;
  const anywhere: Holds = (alert) => Object.values(alert.labels).includes(value);
  const plain = /^\d+$/.test(value) ? quoted : value;
  const hasIt = plain === quoted ? is : anywhere;
  const typo = typoOf(value);
  return [
    { text: 'what is firing?', holds: all },
    { text: '当前有哪些告警', holds: all },
    { text: `alerts with ${quoted}`, holds: is },
    { text: `show me alerts where ${label} is "${value}"`, holds: is },
    { text: `which alerts are firing for ${label} ${value}?`, holds: is },
    { text: `list firing alerts for the ${value} ${label}`, holds: is },
    { text: `${label}为${value}的告警`, holds: is },
    { text: `查看 ${label}=${value} 的告警`, holds: is },
    { text: `${label} 是 ${value} 的告警有哪些`, holds: is },
    { text: `alerts except ${quoted}`, holds: not(is) },
    { text: `alerts where ${label} is not "${value}"`, holds: not(is) },
    { text: `除了${label}=${value}以外的告警`, holds: not(is) },
    { text: `${severity} alerts`, holds: severe },
    { text: `severity ${severity}`, holds: severe },
    { text: `${severity}级别的告警有哪些`, holds: severe },
    { text: `alerts with severity ${severity} and ${quoted}`, holds: both(severe, is) },
    { text: `${label}=${value}，severity=${severity} 的告警`, holds: both(severe, is) },
    {
      text: `show ${severity} alerts with ${quoted} from the last 6 hours`,
      holds: both(both(severe, is), since(NOW - 6 * HOUR)),
    },
    { text: `is "${name}" firing?`, holds: named },
    { text: `is ${name} firing`, holds: named },
    { text: `${name} 在告警吗`, holds: named },
    { text: `alerts from the past 3 hours`, holds: since(NOW - 3 * HOUR) },
    { text: `最近3小时的告警`, holds: since(NOW - 3 * HOUR) },
    { text: `alerts started since 08:00`, holds: since(Date.parse('2026-11-30T08:00:00Z')) },
    { text: `今天触发的告警`, holds: since(Date.parse('2026-11-30T00:00:00Z')) },
    {
      text: `alerts firing for more than 5 hours`,
      holds: (alert) => alert.startsAt <= NOW - 5 * HOUR,
    },
    {
      text: `${label}="${value}" or ${label}="${other}"`,
      holds: (alert) => [value, other].includes(alert.labels[label] ?? ''),
    },
    { text: `which alerts are not silenced`, holds: (alert) => alert.state === 'active' },
    { text: `哪些告警被静默了`, holds: (alert) => alert.state === 'suppressed' },
    { text: `alerts with ${label}="no-such-thing-77"`, holds: () => false },
    { text: `alerts in no-such-thing-77`, holds: () => false },
    { text: `no-such-thing-77 的告警`, holds: () => false },
    { text: `what is firing in ${plain}`, holds: hasIt },
    { text: `any alerts for ${plain}?`, holds: hasIt },
    { text: `${plain} 有哪些告警`, holds: hasIt },
    { text: `${severity} alerts in ${plain}`, holds: both(severe, hasIt) },
    { text: `${plain}的${severity}告警`, holds: both(severe, hasIt) },
    { text: `everything except ${plain}`, holds: not(hasIt) },
    { text: `非${plain}的告警`, holds: not(hasIt) },
    {
      text: `alerts not in ${plain} from the last 12 hours`,
      holds: both(not(hasIt), since(NOW - 12 * HOUR)),
    },
    { text: `details of ${name}`, holds: named },
    { text: `${name} 的详情`, holds: named },
    { text: `why is ${name} firing?`, holds: named },
    ...(typo === undefined
      ? []
      : [
          { text: `alrets for ${typo}`, holds: anywhere },
          { text: `show me the alerts in ${typo} plz`, holds: anywhere },
          { text: `${typo}的告警`, holds: anywhere },
        ]),
    { text: `how many alerts are there?`, holds: all },
    { text: `how many ${severity} alerts with ${quoted}`, holds: both(severe, is) },
    { text: `${label}=${value} 有多少条告警`, holds: is },
  ];
}

/** Two letters swapped, where that is unlikely to be another word. */
function typoOf(value: string): string | undefined {
  if (!/^[a-z]{6,}$/.test(value)) return undefined;
  return `${value.slice(0, 2)}${value[3] ?? ''}${value[2] ?? ''}${value.slice(4)}`;
}

/** The number that the answer leads with. */
function leadNumber(answer: string): number | undefined {
  const lead = answer.slice(0, answer.indexOf('\n') === -1 ? undefined : answer.indexOf('\n'));
  if (/\*\*(?:No |没有|当前没有)/.test(lead)) return 0;
  const match =
    /\*\*(\d+) (?:alerts? (?:is|are)|of \d+) /.exec(lead) ??
    /中有 (\d+) 条/.exec(lead) ??
    /当前有 (\d+) 条/.exec(lead);
  return match === null ? undefined : Number(match[1]);
}

function namesIn(answer: string): readonly string[] {
  return [...answer.matchAll(/^\| \d+ \| `([^`]+)` \|/gm)].map((match) => match[1] ?? '').sort();
}

function detailsIn(answer: string): readonly string[] {
  return [...answer.matchAll(/^\*\*(?:#\d+ )?`([^`]+)`\*\*/gm)]
    .map((match) => match[1] ?? '')
    .sort();
}

describe('the builtin backend over random alerts', () => {
  const seeds = Array.from({ length: 15 }, (_, index) => index + 1);
  it.each(seeds)('should name the right alerts and no other, set %i', async (seed) => {
    const set = alertSet(seed);
    const wrong: string[] = [];
    for (const { text, holds } of questions(set, seed)) {
      const answer = await new Talk(new FakeSources({ alerts: set.alerts })).ask(text);
      const expected = set.alerts.filter(holds);
      const names = expected.map(({ labels }) => labels['alertname'] ?? '').sort();
      const isCount = /how many|多少/.test(text);
      const isDetail = /details|详情|why/.test(text) && expected.length <= 3;
      const shown = isDetail ? detailsIn(answer) : namesIn(answer);
      const isRight =
        leadNumber(answer) === expected.length && (isCount || shown.join() === names.join());
      if (!isRight) {
        wrong.push(`${text} → expected ${String(expected.length)}\n${answer.slice(0, 700)}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
