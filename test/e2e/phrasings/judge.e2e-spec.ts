import { describe, expect, it } from 'vitest';
import { judge, type Verdict } from './judge.js';
import type { Expected, FactAlert, Facts } from './phrasing.js';

function alertOf(alertname: string, team: string, startsAt: string): FactAlert {
  return { labels: { alertname, team }, startsAt, status: { state: 'active' } };
}

const LAG = alertOf('LagGrowing', 'fraud', '2026-11-30T07:00:00.000Z');
const CERT = alertOf('CertExpires', 'search', '2026-11-30T06:00:00.000Z');
const SILENT = { ...alertOf('Quiet', 'risk', LAG.startsAt), status: { state: 'suppressed' } };
const FACTS: Facts = {
  now: Date.parse('2026-11-30T08:00:00Z'),
  alerts: [LAG, CERT, SILENT],
  silences: [],
  targets: { up: ['h:1'], down: ['h:2'] },
  rules: [],
  evaluate: () => Promise.resolve(0),
};
const ONE: Expected = { kind: 'alerts', alerts: [LAG] };
const RIGHT = '**1 of 3 alerts**\n\n| 1 | `LagGrowing` | 2026-11-30 07:00:00 UTC |';
const ALL: Expected = { kind: 'groups', labels: ['team'], alerts: FACTS.alerts };
const TWO: Expected = {
  kind: 'groups',
  labels: ['team', 'env'],
  alerts: [LAG, CERT].map((alert, index) => ({
    ...alert,
    labels: { ...alert.labels, env: 'ab'[index]! },
  })),
};

/** What is said to "alerts of fraud", in UTC. */
function verdict(answer: string, expected: Expected = ONE, timezone = 'UTC'): Verdict {
  return judge({ asked: 'alerts of fraud', answer, expected, facts: FACTS, timezone }).verdict;
}

describe('the judge of the phrasings', () => {
  it.each<[string, Verdict, string, Expected?]>([
    ['the right alert, number and start', 'understood', RIGHT],
    ['a wrong number', 'wrong', RIGHT.replace('1 of', '2 of')],
    ['a start a second late', 'wrong', RIGHT.replace('07:00:00', '07:00:01')],
    ['another alert as well', 'wrong', `${RIGHT}\n| 2 | \`CertExpires\` | 2026-11-30 06:00:00 |`],
    ['another alert instead', 'wrong', RIGHT.replace('LagGrowing', 'CertExpires')],
    ['no alert', 'wrong', '**No firing alert matches**.'],
    ['that it did not understand', 'not understood', 'I did not understand the question.'],
    ['which word it left out', 'not understood', '**3 alerts**\n\nNot understood: “fraud”.'],
    ['how it read a word', 'not understood', '**3 alerts**; “fraud” read as a word, not as `x=y`.'],
    [
      'how it read a word, rightly else',
      'understood',
      `${RIGHT}\n“of” read as a word, not as \`x=y\`.`,
    ],
    ['that a word nobody said was left out', 'wrong', '**3 alerts**\n\nNot understood: “risk”.'],
    ['no, when there is none', 'understood', 'No. **0 of 3**', { kind: 'alerting', alerts: [] }],
    ['yes, when there is none', 'wrong', 'Yes. **1 of 3**', { kind: 'alerting', alerts: [] }],
    ['no, when there is one', 'wrong', 'No. **0 of 3**', { kind: 'alerting', alerts: [LAG] }],
    ['the right count', 'understood', '**2** alerts', { kind: 'count', alerts: [LAG, CERT] }],
    ['a total for a count', 'wrong', '**3** alerts', { kind: 'count', alerts: [LAG, CERT] }],
    ['every group', 'understood', '| fraud | 1 |\n| search | 1 |\n| risk | 1 |', ALL],
    ['the groups but the silenced', 'understood', '| fraud | 1 |\n| search | 1 |', ALL],
    ['a group too large', 'wrong', '| fraud | 1 |\n| search | 2 |', ALL],
    ['the groups of two labels', 'understood', '| fraud | a | 1 |\n| search | b | 1 |', TWO],
    ['a group of two labels too large', 'wrong', '| fraud | a | 1 |\n| search | b | 2 |', TWO],
    ['what can be asked', 'understood', 'I only read', { kind: 'help' }],
    ['alerts for help', 'wrong', RIGHT, { kind: 'help' }],
    ['the target that is down', 'understood', '**1 of 2 is down**: h:2', { kind: 'targets' }],
    ['the target that is up', 'wrong', '**1 of 2 is down**: h:1', { kind: 'targets' }],
    ['the value', 'understood', '| `{}` | 41 |', { kind: 'value', value: 41 }],
    ['another value', 'wrong', '| `{}` | 410 |', { kind: 'value', value: 41 }],
  ])('%s: %s', (_what, expected, answer, wanted) => {
    expect(verdict(answer, wanted)).toBe(expected);
  });

  it('reads times in the zone of the question', () => {
    const there = RIGHT.replace('07:00:00', '15:00:00');
    expect(verdict(there, ONE, 'Asia/Shanghai')).toBe('understood');
    expect(verdict(RIGHT, ONE, 'Asia/Shanghai')).toBe('wrong');
  });
});
