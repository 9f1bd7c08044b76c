import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { answerPast, type PastFiring } from '../../../test/support/alert-past.js';
import { alertOf, FakeSources, NOW, Talk } from '../../../test/support/fake-sources.js';

/** A time of the day of NOW, which is 09:30 on a Monday. */
function at(clock: string, day = '2026-11-30'): number {
  return Date.parse(`${day}T${clock}Z`);
}

const LATER = NOW + 3_600_000;
const WORLD: readonly PastFiring[] = [
  {
    labels: { alertname: 'LatencyHigh', env: 'prod', service: 'checkout', host: 'web-1' },
    stretches: [
      [at('05:50:06'), at('06:10:06')],
      [at('09:00:06'), at('09:10:06')],
    ],
  },
  { labels: { alertname: 'FlapA', env: 'flap' }, stretches: [[at('09:05:00'), at('09:10:00')]] },
  {
    labels: { alertname: 'DiskFull', env: 'prod', severity: 'critical', host: 'db-1' },
    stretches: [
      [at('08:40:00'), at('09:19:45')],
      [at('09:20:15'), LATER],
    ],
  },
  {
    labels: { alertname: 'SlowStart', env: 'prod', severity: 'warning' },
    stretches: [[at('08:00:00'), LATER]],
  },
  {
    labels: { alertname: 'ReplicaLag', host: 'db-2' },
    stretches: [[at('07:10:00'), at('07:25:00')]],
  },
  {
    labels: { alertname: 'QueueBacklog', service: 'queue' },
    stretches: [[at('18:40:00', '2026-11-29'), at('18:55:00', '2026-11-29')]],
  },
];

function sources(): FakeSources {
  const firing = WORLD.filter(({ stretches }) => stretches.some(([, end]) => end > NOW));
  return new FakeSources({
    alerts: firing.map(({ labels, stretches }) =>
      alertOf(labels, { startsAt: stretches.at(-1)?.[0] ?? NOW }),
    ),
    query: answerPast(WORLD),
  });
}

async function ask(...questions: readonly string[]): Promise<string> {
  const talk = new Talk(sources());
  let answer = '';
  for (const question of questions) answer = await talk.ask(question);
  return answer;
}

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }));
afterAll(() => void vi.useRealTimers());

type Row = readonly [
  question: string,
  said: readonly (RegExp | string)[],
  unsaid?: readonly string[],
];

const IN_ENGLISH: readonly Row[] = [
  ['has ReplicaLag fired today?', [/^Yes\. \*\*1 alert fired\*\*, 1 time/, '07:10:00']],
  ['did db-2 alert today?', [/^Yes\./, 'ReplicaLag'], ['LatencyHigh']],
  ['did QueueBacklog fire before 09:00?', [/^Yes\./, '2026-11-29 18:40:00', '18:55:00']],
  ['did QueueBacklog fire today?', [/^No\. \*\*0 alerts fired/]],
  ['has anything fired in the last 25 minutes?', [/^Yes\./, 'LatencyHigh', 'FlapA', 'DiskFull']],
  [
    'how many times did DiskFull fire today?',
    [/2 times in all/, '08:40:00', 'again since 2026-11-30 09:20:15'],
  ],
  [
    'how often did LatencyHigh fire today?',
    [/\*\*1 alert fired\*\*, 2 times in all/, '05:50:06', '09:10:06'],
    ['FlapA'],
  ],
  [
    'how many times did LatencyHigh fire between 09:02 and 09:05?',
    [/1 time in all/, 'already at 2026-11-30 09:02:00'],
  ],
  [
    'how many times did SlowStart fire in the last 10 minutes?',
    [/1 time in all/, '2026-11-30 08:00:00'],
  ],
  [
    'what was firing at 08:45?',
    [/^\*\*2 alerts were firing\*\* at 2026-11-30 08:45:00/, 'DiskFull', 'SlowStart'],
    ['LatencyHigh'],
  ],
  ['was DiskFull firing at 08:50?', [/^Yes\./]],
  ['was LatencyHigh firing at 08:30:10?', [/^No\. \*\*0 alerts were firing/]],
  [
    'what fired first?',
    [/^\*\*The first to fire in the last 6 hours was `LatencyHigh`\*\*: 2026-11-30 05:50:06/],
  ],
  [
    'which alerts ended in the last hour?',
    [/\*\*3 alerts ended/, 'LatencyHigh', 'FlapA', 'ended 2026-11-30 09:19:45'],
    ['ReplicaLag', 'SlowStart'],
  ],
  ['which alerts are over?', [/\*\*5 alerts ended/, 'QueueBacklog'], ['SlowStart']],
  [
    'which alerts cleared today?',
    [/\*\*4 alerts ended/, 'ReplicaLag', '07:25:00'],
    ['QueueBacklog'],
  ],
  ['when did ReplicaLag end?', ['07:25:00'], ['SlowStart']],
  ['is ReplicaLag still firing?', [/^No\./, '07:25:00']],
  ['what fired between 07:00 and 07:30?', ['ReplicaLag', '07:25:00'], ['FlapA']],
  [
    'what fired in the last 30 minutes',
    [/^\*\*4 alerts fired/, 'LatencyHigh', 'FlapA', 'SlowStart', 'already at'],
    ['ReplicaLag'],
  ],
  [
    'what fired since 09:00',
    [/^\*\*3 alerts fired/, 'LatencyHigh', 'FlapA', '1 more was firing already'],
    ['SlowStart'],
  ],
  ['which alerts fired today?', [/^\*\*5 alerts fired/, 'ReplicaLag'], ['QueueBacklog']],
  ['how many alerts fired today?', [/^\*\*5 alerts fired\*\*, 7 times/]],
  [
    'which alerts fired in the last 30 minutes, including ended ones',
    [/\*\*4 alerts fired/, 'SlowStart', 'FlapA', 'alerts that fired, ended ones included'],
  ],
  ['how many alerts fired today by severity?', [/^\*\*5 alerts fired/, /\| critical \| 1 \| 2 \|/]],
  ['what fired first today?', [/^\*\*The first to fire .* was `LatencyHigh`/]],
  [
    'when did DiskFull end?',
    [
      /^\*\*`DiskFull` \(`host=db-1`\) ended at 2026-11-30 09:19:45 UTC\*\*, and fires again since 2026-11-30 09:20:15/,
    ],
  ],
  ['when did DiskFull last recover?', [/ended at 2026-11-30 09:19:45.*fires again since/]],
  ['when did SlowStart end?', [/^\*\*`SlowStart` did not end in that time\*\*/]],
  ['when did ReplicaLag recover?', [/^\*\*`ReplicaLag` .*ended at 2026-11-30 07:25:00/]],
  ['most recent critical that ended', ['DiskFull', '09:19:45', /09:20:15/]],
  ['which alerts are over?', [/^Of these, `DiskFull` \(`host=db-1`\) began again/m]],
  [
    'when did LatencyHigh start for the first time today?',
    [/^\*\*The first time .*`LatencyHigh` .*fired\*\*: 2026-11-30 05:50:06/],
  ],
  [
    'when did DiskFull start for the first time today?',
    [/^\*\*The first time .*`DiskFull` .*fired\*\*: 2026-11-30 08:40:00/],
  ],
  ['most recent alert that ended', [/^\*\*The last to end was `DiskFull` .*: 2026-11-30 09:19:45/]],
  [
    'which alert fired most often today?',
    [/^\*\*Most often: `LatencyHigh` and `DiskFull`\*\*, 2 times each/],
  ],
  [
    'what is going on?',
    [
      /1\. 2026-11-30 05:50:06 UTC `LatencyHigh`/,
      /08:40:00 UTC `DiskFull` .*again since 2026-11-30 09:20:15/,
      /`ReplicaLag` \(`host=db-2`\): ended 2026-11-30 07:25:00/,
    ],
  ],
];

const IN_CHINESE: readonly Row[] = [
  ['ReplicaLag 今天触发过吗？', [/^是/, '07:10:00']],
  ['db-2 今天告警过吗', [/^是/, 'ReplicaLag'], ['LatencyHigh']],
  ['QueueBacklog 9点之前触发过吗', [/^是/, '2026-11-29 18:40:00']],
  ['QueueBacklog 今天报过吗', [/^没有/, '共有 0 条告警触发过']],
  ['今天有没有触发过 FlapA', [/^是/, '09:05:00'], ['LatencyHigh']],
  ['DiskFull 今天触发了几次', [/合计 2 次/, '09:20:15']],
  ['LatencyHigh 今天触发了几次？', [/共有 1 条告警触发过\*\*，合计 2 次/]],
  ['9点02分到9点05分之间 LatencyHigh 触发了几次', [/合计 1 次/, '09:02:00 UTC 时已在触发']],
  ['8点45分的时候哪些告警在触发', ['有 2 条告警在触发', 'DiskFull', 'SlowStart'], ['LatencyHigh']],
  ['在8点50分 DiskFull 在触发吗', [/^是/]],
  ['最先触发的是哪个', [/最近 6 小时内最先触发的是 `LatencyHigh`/, '05:50:06']],
  ['最近一小时恢复了哪些告警？', [/共有 3 条告警恢复/, 'FlapA'], ['ReplicaLag']],
  ['最近十五分钟结束的告警', [/共有 1 条告警恢复/, '09:19:45'], ['SlowStart']],
  ['今天结束的告警', [/共有 4 条告警恢复/, 'ReplicaLag'], ['SlowStart']],
  ['刚结束的告警', [/告警恢复/, 'LatencyHigh'], ['SlowStart']],
  ['ReplicaLag 什么时候恢复的', ['07:25:00'], ['SlowStart']],
  ['ReplicaLag 还在报吗', [/^没有/, '07:25:00']],
  ['今天触发过哪些告警', [/共有 5 条告警触发过/], ['QueueBacklog']],
  ['最近 30 分钟触发过哪些告警', [/共有 4 条告警触发过/]],
  [
    '今天最早触发的告警，包括已结束的',
    [/最先触发的是 `LatencyHigh`/, /共有 5 条告警触发过/, 'SlowStart', '首次', '最近'],
    ['起始值'],
  ],
  ['今天最先触发的是什么', [/最先触发的是 `LatencyHigh`\*\*：2026-11-30 05:50:06/]],
  [
    'DiskFull 上一次是什么时候恢复的',
    [
      /^\*\*`DiskFull` .*于 2026-11-30 09:19:45 UTC 恢复\*\*，自 2026-11-30 09:20:15 UTC 起再次触发/,
    ],
  ],
  ['DiskFull 今天第一次是什么时候触发的', [/第一次触发\*\*：2026-11-30 08:40:00/]],
  ['刚结束的告警', [/其中 `DiskFull` .*再次触发/]],
  ['最后一个恢复的告警是哪个', [/^\*\*最后恢复的是 `DiskFull`.*09:19:45/]],
  ['今天哪个告警报得最多', [/^\*\*触发次数最多的是 `LatencyHigh`、`DiskFull`\*\*，各 2 次/]],
  ['昨天触发过什么告警', [/共有 1 条告警触发过/, 'QueueBacklog'], ['SlowStart']],
  ['出什么事了', [/1\. 2026-11-30 05:50:06 UTC `LatencyHigh`/, /09:20:15 UTC 起再次触发/]],
];

describe('questions about the past', () => {
  it.each([...IN_ENGLISH, ...IN_CHINESE].map(([question, ...rest]) => ({ question, rest })))(
    'should be answered as it was: $question',
    async ({ question, rest: [said, unsaid = []] }) => {
      const answer = await ask(question);
      for (const one of said) {
        if (typeof one === 'string') expect(answer).toContain(one);
        else expect(answer).toMatch(one);
      }
      for (const one of unsaid) expect(answer).not.toContain(`\`${one}\``);
      expect(answer).not.toMatch(/not kept|不保留/);
    },
  );

  it.each([
    ['triage env=flap', 'FlapA', 'LatencyHigh'],
    ['triage flap', 'FlapA', 'LatencyHigh'],
    ['分诊 env=flap', 'FlapA', 'LatencyHigh'],
  ])('should be in a first look: %s', async (question, shown, hidden) => {
    const answer = await ask(question);
    expect(answer).toContain(shown);
    expect(answer).not.toContain(hidden);
  });

  it('should not answer a yes or no from what fires now where nothing tells the past', async () => {
    const fake = sources();
    Object.assign(fake.metrics.metrics!, {
      query: () => Promise.reject(new Error('down')),
      queryRange: () => Promise.reject(new Error('down')),
    });
    const answer = await new Talk(fake).ask('has ReplicaLag fired today?').catch(() => 'failed');
    expect(answer).not.toMatch(/^No\./);
  });
});

describe('a question that goes on from one about the past', () => {
  it.each([
    ['how many times did ReplicaLag fire today?', 'and LatencyHigh?', 'and QueueBacklog?'],
    ['ReplicaLag 今天触发了几次', '那 LatencyHigh 呢', '那 QueueBacklog 呢'],
  ])('should be the same of another alert: %s', async (...questions) => {
    const second = await ask(...questions.slice(0, 2));
    expect(second).toMatch(/2 times in all|合计 2 次/);
    expect(second).not.toContain('ReplicaLag');
    const third = await ask(...questions);
    expect(third).toMatch(/0 alerts fired|共有 0 条告警触发过/);
    expect(third).not.toContain('LatencyHigh');
    const live = await ask(questions[0], 'and DiskFull?');
    expect(live).toMatch(/2 times in all|合计 2 次/);
  });

  it('should be of now again where it asks for what fires', async () => {
    const answer = await ask(
      'how many times did ReplicaLag fire today?',
      'and what is firing now?',
    );
    expect(answer).toMatch(/^\*\*2 alerts are firing/);
  });
});

describe('alerts that began in the same second', () => {
  const names = ['A1', 'B2', 'C3', 'D4', 'E5', 'F6', 'G7'];
  const tied: readonly PastFiring[] = names.map((alertname) => {
    return { labels: { alertname }, stretches: [[at('08:00:00'), LATER]] };
  });

  it.each([
    ['what fired first?', /The first to fire .* were `A1`, `B2`, `C3`, `D4`, `E5` and 2 more/],
    ['which alert fires the longest?', /Those that fire the longest are `A1`.* and 2 more/],
    ['最先触发的是哪个', /最先触发的是 `A1`、`B2`、`C3`、`D4`、`E5` 等 7 条/],
  ])('should all be told: %s', async (question, told) => {
    const alerts = tied.map(({ labels }) => alertOf(labels, { startsAt: at('08:00:00') }));
    const fake = new FakeSources({ alerts, query: answerPast(tied) });
    expect(await new Talk(fake).ask(question)).toMatch(told);
  });
});

describe('what began first', () => {
  it.each([
    'which alert started first?',
    'which alert began first?',
    'what was the first alert?',
    'what fired first?',
    '第一个触发的告警是什么？',
    '最先触发的是哪个告警？',
  ])('should be the first of all, beside the one that fires the longest: %s', async (question) => {
    const answer = await ask(question);
    expect(answer).toMatch(/`LatencyHigh`\*\*[:：]/);
    expect(answer).toContain('SlowStart');
    expect(answer).not.toContain('DiskFull');
  });

  it('should leave the first one of a list what it is', async () => {
    expect(await ask('what is firing?', 'details of the first one')).toContain('DiskFull');
  });
});
