import { Logger } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { FIRING, ordered } from '../../../../test/support/order-bench.js';
import { pick, randomOf } from '../../../../test/support/random-alerts.js';
import { alertOf } from '../../../../test/support/fake-sources.js';
import { fits } from '../../tools/silence-plan.js';

Logger.overrideLogger(false);

type Labels = Readonly<Record<string, string>>;
type Holds = (labels: Labels) => boolean;

interface Term {
  readonly en: string;
  readonly zh: string;
  readonly holds: Holds;
}

function term(label: string, value: string, en: string, zh = en): Term {
  return { en, zh, holds: (labels) => labels[label] === value };
}

/** As labels, and as people say them. */
const WRITTEN = [
  ['team', 'payments'],
  ['team', 'data'],
  ['service', 'checkout'],
  ['severity', 'critical'],
  ['alertname', 'DiskFull'],
].map(([label = '', value = '']) => term(label, value, `${label}="${value}"`));
const SPOKEN = [
  term('team', 'payments', 'team payments', 'payments 团队'),
  term('alertname', 'DiskFull', 'DiskFull'),
  term('service', 'checkout', 'service checkout', 'checkout 服务'),
  term('severity', 'critical', 'critical alerts', 'critical 告警'),
  term('host', 'db-1', 'host db-1', 'db-1 主机'),
];

interface Joint {
  readonly en: string;
  readonly zh: string;
  readonly both: (one: Holds, other: Holds) => Holds;
}
const AND =
  (one: Holds, other: Holds): Holds =>
  (labels) =>
    one(labels) && other(labels);
const OR =
  (one: Holds, other: Holds): Holds =>
  (labels) =>
    one(labels) || other(labels);
const LESS =
  (one: Holds, other: Holds): Holds =>
  (labels) =>
    one(labels) && !other(labels);
const JOINTS: readonly Joint[] = [
  { en: ' ', zh: ' ', both: AND },
  // Two names joined by `and` may be meant as both of them.
  { en: ' and ', zh: ' 和 ', both: OR },
  { en: ', ', zh: '、', both: OR },
  { en: ' or ', zh: ' 或 ', both: OR },
  { en: ' or maybe ', zh: ' 或者 ', both: OR },
  ...[
    'except',
    'except for',
    'but not',
    'excluding',
    'other than',
    'with the exception of',
    'without',
    'minus',
    ', not',
    'apart from',
  ].map((en) => ({ en: ` ${en} `, zh: ' 除了 ', both: LESS })),
  ...['但不包括', '不包括', '不含', '排除', '而不是', '，但不要'].map((zh) => ({
    en: ' unless ',
    zh: ` ${zh} `,
    both: LESS,
  })),
];
const TIMES = [
  ['for 10m', '10 分钟', 10],
  ['for 2 hours', '两小时', 120],
  ['for an hour and a half', '一个半小时', 90],
  ['', '', 60],
] as const;
/** None of these may get lost. */
const STRANGE = {
  en: [
    'tomorrow',
    'tonight',
    'later',
    'at 20:00',
    'on Sunday',
    'every night',
    'if it flaps',
    'unless bob objects',
    'when it is quiet',
    'once deployed',
    'only if safe',
    'new',
    'some',
    'half of',
    'my',
    'zorgle',
    'in staging',
    'after lunch',
    'before noon',
    'starting Monday',
    'older than 1h',
    'that nobody has acked',
    'from 20:00 to 21:00',
    'mostly',
    'the 3 worst',
    'in 2 hours',
  ],
  zh: [
    '明天',
    '今晚',
    '稍后',
    '20 点开始',
    '周日',
    '每天',
    '如果抖动',
    '除非老王反对',
    '等发布完',
    '安全的话才',
    '新的',
    '部分',
    '一半',
    '我的',
    '阿巴',
    'zorgle',
    '两小时后',
    '从 20 点到 21 点',
    '没人认领的',
    '超过一小时的',
    '偶尔',
  ],
} as const;

interface Made {
  readonly text: string;
  readonly holds: Holds;
  readonly minutes: number;
  readonly isStrange: boolean;
}

function made(seed: number): Made {
  const random = randomOf(seed);
  const language = pick(random, ['en', 'zh'] as const);
  const terms = pick(random, [WRITTEN, SPOKEN]);
  const first = pick(random, terms);
  const second = pick(
    random,
    terms.filter((one) => one !== first),
  );
  const joint = random() < 0.6 ? pick(random, JOINTS) : undefined;
  const [en, zh, minutes] = pick(random, TIMES);
  const object =
    joint === undefined
      ? first[language]
      : `${first[language]}${joint[language]}${second[language]}`;
  const words =
    language === 'en'
      ? [pick(random, ['silence', 'please mute', 'can you silence']), object, en]
      : [pick(random, ['静默', '请屏蔽', '帮我静默']), object, zh];
  const isStrange = random() < 0.5;
  if (isStrange) words.splice(Math.floor(random() * 4), 0, pick(random, STRANGE[language]));
  return {
    text: words.filter((word) => word !== '').join(' '),
    holds: joint === undefined ? first.holds : joint.both(first.holds, second.holds),
    minutes,
    isStrange,
  };
}

/** Every alert that the values above can make. */
const WORLD: readonly Labels[] = (() => {
  const values: Record<string, (string | undefined)[]> = {
    team: ['payments', 'data', undefined],
    service: ['checkout', 'orders', undefined],
    severity: ['critical', 'warning'],
    alertname: ['DiskFull', 'HighLatency'],
    host: ['db-1', 'db-2', undefined],
  };
  let world: Labels[] = [{}];
  for (const [label, own] of Object.entries(values)) {
    world = world.flatMap((one) =>
      own.map((value) => (value === undefined ? one : { ...one, [label]: value })),
    );
  }
  return [...world, ...FIRING];
})();

describe('any order', () => {
  it('should be refused, or be no wider and no longer than it was said', async () => {
    let plans = 0;
    for (let seed = 1; seed <= 400; seed += 1) {
      const { text, holds, minutes, isStrange } = made(seed);
      const { plan, matchers, minutes: lasts } = await ordered(text);
      if (plan === undefined) continue;
      plans += 1;
      expect(isStrange ? `${text} → ${plan}` : '').toBe('');
      const isFit = fits(matchers);
      const wider = WORLD.filter((labels) => isFit(alertOf(labels)) && !holds(labels));
      expect({ text, plan, wider: wider.slice(0, 1), lasts }).toEqual({
        text,
        plan,
        wider: [],
        lasts: minutes,
      });
    }
    // It understands, too.
    expect(plans).toBeGreaterThan(120);
  });
});
