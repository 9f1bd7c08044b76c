import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources, Talk } from '../../../test/support/fake-sources.js';

/** `Hit` is what a filter is on and `Miss` what it is not; `Bare` lacks the labels. */
const ALERTS = [
  alertOf({ alertname: 'Hit', severity: 'critical', team: 'payments', host: 'web-1' }),
  alertOf({ alertname: 'Miss', severity: 'warning', team: 'core', host: 'web-2' }),
  alertOf({ alertname: 'Bare', severity: 'warning' }),
];
const BEFORE =
  'not|unless|except|except for|excluding|other than|but not|apart from|without|omitting|leaving out|ignoring|bar';
const FILTERS = ['severity="critical"', 'team=payments', 'critical', 'team payments', 'Hit'];
const LACKS =
  "without a|with no|that do not have a|that don't have a|which does not have a|lacking a|that lack a|missing a|that have no";
const HAN_BEFORE = '不是|除了|排除|不含|不包括|除去|去掉|剔除|非';
const HAN_FILTERS = ['severity=critical', '严重', 'payments', 'Hit'];
const HAN_LACKS = '没有|缺少|不带|无';

async function ask(question: string): Promise<string> {
  return new Talk(new FakeSources({ alerts: ALERTS })).ask(question);
}

const rowOf = (name: string): RegExp => new RegExp(`\\| \`${name}\` \\|`);
const REFUSED = /^(?:I did not understand|I cannot put these|我没有理解|这些条件无法)/;

function excludes(answer: string, name: string): void {
  if (REFUSED.test(answer)) return;
  expect(answer).not.toMatch(rowOf(name));
  expect(answer).not.toMatch(/^(?:Yes|是)/);
}

const GENERATED = [
  ...BEFORE.split('|').flatMap((word) =>
    FILTERS.flatMap((filter) => [`alerts ${word} ${filter}`, `what is firing ${word} ${filter}?`]),
  ),
  ...HAN_BEFORE.split('|').flatMap((word) => HAN_FILTERS.map((one) => `${word} ${one} 的告警`)),
  ...HAN_FILTERS.flatMap((one) => [
    `除了 ${one} 以外的告警`,
    `${one} 以外的告警`,
    `除 ${one} 之外的告警`,
  ]),
];
const PRESENCE = [
  ...LACKS.split('|').flatMap((word) =>
    ['host', 'team'].flatMap((label) => [
      `list alerts ${word} ${label} label`,
      `alerts ${word} ${label}`,
    ]),
  ),
  ...HAN_LACKS.split('|').flatMap((word) =>
    ['host', 'team'].map((one) => `${word} ${one} 标签的告警`),
  ),
];

describe('a negation', () => {
  it('should never show what it excludes', async () => {
    let understood = 0;
    for (const question of GENERATED) {
      const answer = await ask(question);
      excludes(answer, 'Hit');
      if (!REFUSED.test(answer)) understood += 1;
    }
    expect(understood / GENERATED.length).toBeGreaterThan(0.8);
  });

  it('should be one of a label that is lacking', async () => {
    for (const question of PRESENCE) {
      const answer = await ask(question);
      excludes(answer, 'Hit');
      excludes(answer, 'Miss');
    }
  });

  it.each([
    ['list alerts that do not have a host label', /1 of 3/],
    ['alerts team="payments" unless severity="critical"', /No firing alert matches/],
    ['情况在恶化吗', REFUSED],
    ['is the queue draining?', REFUSED],
    ['is the backlog frobbing?', REFUSED],
    ['谁负责 payments', REFUSED],
    ['数据库那边怎么样', REFUSED],
  ])('should be understood or refused: %s', async (question, expected) => {
    expect(await ask(question)).toMatch(expected);
  });
});
