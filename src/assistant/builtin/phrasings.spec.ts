import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources, NOW, Talk } from '../../../test/support/fake-sources.js';
import { showInstant } from './time/zoned.js';

/** Six alerts; every start time is unique, so that a time in an answer tells which alert is shown. */
const ALERTS = {
  A: alertOf(
    {
      alertname: 'HighErrorRate',
      severity: 'critical',
      env: 'prod',
      team: 'payments',
      service: 'checkout',
      cluster: 'eu-1',
      instance: '10.0.0.5:9100',
    },
    { age: 18 },
  ),
  B: alertOf(
    {
      alertname: 'HighErrorRate',
      severity: 'warning',
      env: 'staging',
      team: 'payments',
      service: 'checkout',
      cluster: 'us-1',
      instance: '10.0.0.51:9100',
    },
    { age: 200 },
  ),
  C: alertOf(
    {
      alertname: 'DiskAlmostFull',
      severity: 'warning',
      env: 'prod',
      team: 'core',
      service: 'orders-db',
      cluster: 'eu-1',
      instance: '10.0.0.21:9100',
      rack: 'r12',
    },
    { age: 400, summary: 'the raid controller is slow too' },
  ),
  D: alertOf(
    {
      alertname: 'NodeDown',
      severity: 'critical',
      env: 'staging',
      team: 'core',
      service: 'search',
      cluster: 'us-1',
      instance: 'web-1.lan:9100',
    },
    { age: 95, state: 'suppressed', silencedBy: ['s1'] },
  ),
  E: alertOf(
    {
      alertname: '磁盘空间不足',
      severity: 'info',
      env: 'dev',
      team: '数据平台',
      service: 'etl',
      cluster: 'us-1',
      instance: 'db-7:9100',
    },
    { age: 2 },
  ),
  F: alertOf(
    {
      alertname: 'KubePodCrashLooping',
      severity: 'warning',
      env: 'prod',
      team: 'search',
      namespace: 'kube-system',
      pod: 'coredns-abc',
      cluster: 'eu-1',
    },
    { age: 3000 },
  ),
};
const ALL = Object.values(ALERTS);

async function ask(question: string, before?: string): Promise<string> {
  const silences = [
    {
      source: 'fake-am',
      id: 's1',
      state: 'active' as const,
      matchers: [{ name: 'alertname', op: '=' as const, value: 'NodeDown' }],
      createdBy: 'alice',
      comment: 'moving racks',
      startsAt: NOW - 1000,
      endsAt: NOW + 3_600_000,
    },
  ];
  const target = { source: 'fake-prom', scrapeUrl: '', lastError: '', lastScrape: NOW };
  const targets = [
    { ...target, labels: { job: 'node', instance: '10.0.0.5:9100' }, health: 'up' as const },
    {
      ...target,
      labels: { job: 'api', instance: '10.0.0.9:80' },
      health: 'down' as const,
      lastError: 'refused',
    },
  ];
  const rule = {
    source: 'fake-prom',
    group: 'g',
    type: 'alerting' as const,
    forSeconds: 1,
    labels: {},
    health: 'ok',
    lastError: '',
  };
  const rules = [
    { ...rule, name: 'HighErrorRate', expr: 'errors > 5', state: 'firing' as const },
    { ...rule, name: 'NeverFires', expr: 'vector(0) > 1', state: 'inactive' as const },
  ];
  const talk = new Talk(new FakeSources({ alerts: ALL, silences, targets, rules }));
  if (before !== undefined) await talk.ask(before);
  return talk.ask(question);
}

/** The letters of the alerts whose start time an answer shows. */
function shownIn(answer: string): string {
  return Object.entries(ALERTS)
    .filter(([, alert]) => answer.includes(showInstant(alert.startsAt, 'UTC')))
    .map(([letter]) => letter)
    .join('');
}

const LISTS_EN: readonly (readonly [string, string])[] = [
  ['What is firing?', 'ABCDEF'],
  ['Show me everything that is broken', 'ABCDEF'],
  ['any alerts right now?', 'ABCDEF'],
  ['what is firing in prod', 'ACF'],
  ['Any issues in production at the moment?', 'ACF'],
  ['which critical alerts are firing right now', 'AD'],
  ['list all warning alerts for the core team', 'C'],
  ['alerts for team payments', 'AB'],
  ['alerts in the payments team started in the last hour', 'A'],
  ['alerts where service is checkout and env is staging', 'B'],
  ['alerts whose env is not prod', 'BDE'],
  ['show alerts not in staging', 'ACEF'],
  ['everything except warnings', 'ADE'],
  ['all alerts but the info ones', 'ABCDF'],
  ["what's firing except for team core and env dev", 'ABF'],
  ['alerts that are neither critical nor warning', 'E'],
  ['non-critical alerts in prod', 'CF'],
  ['critical or warning alerts in prod', 'ACF'],
  ['alerts from eu-1 or in dev', 'ACEF'],
  ['team=payments or env=dev', 'ABE'],
  ['severity=critical env=staging', 'D'],
  ['{env="prod",severity="warning"}', 'CF'],
  ['severity!=warning', 'ADE'],
  ['team=~"pay.*|core"', 'ABCD'],
  ['alerts with severity warning or worse', 'ABCDF'],
  ['severity higher than warning', 'AD'],
  ['what is firing on 10.0.0.5:9100', 'A'],
  ['what is firing on 10.0.0.5', 'A'],
  ['alerts on host web-1', 'D'],
  ['alerts on rack r12', 'C'],
  ['alerts with label rack', 'C'],
  ['alerts without a namespace', 'ABCDE'],
  ['is anything wrong with the search service?', 'D'],
  ['is checkout ok?', 'AB'],
  ['disk alerts', 'C'],
  ['pods crash looping', 'F'],
  ['alerts mentioning raid', 'C'],
  ['alerts since 09:00', 'AE'],
  ['alerts triggered before 08:00', 'BCDF'],
  ['alerts between 07:00 and 09:00', 'D'],
  ['alerts from the past 2 hours', 'ADE'],
  ['which alerts started today', 'ABCDE'],
  ['alerts yesterday', ''],
  ['which alerts have been firing for more than 3 hours', 'BCF'],
  ['alerts older than a day', 'F'],
  ['which alerts are silenced', 'D'],
  ['alerts that are not silenced', 'ABCEF'],
  ['latest alert', 'E'],
  ['which alert has been firing the longest', 'F'],
  ['firing since 30 minutes', 'AE'],
  ['what fired between 1 and 4 hours ago', 'BD'],
  ['service is etl or cluster is eu-1', 'ACEF'],
  ['not staging but critical', 'A'],
  ['no warnings please, just what is firing', 'ADE'],
  ['anything scary going on with checkout', 'AB'],
  ['show alerts filter by env prod', 'ACF'],
  ['show the 2 most recent alerts', 'AE'],
  ['the oldest 1 alert', 'F'],
  ['top 2 critical alerts', 'AD'],
  ['critical/warning alerts in dev/staging', 'BD'],
  ['severity=critical|info', 'ADE'],
  ['alerts in prod, no warnings', 'A'],
  ['top2 critical alerts', 'AD'],
  ['First show me prod alerts', 'ACF'],
  ['alerts from 06:00 until now', 'ABDE'],
  ['prod/critical', 'A'],
  ['warning alerts of search', 'F'],
  ['show me search', 'DF'],
  ['alerts of nobody-here', ''],
  ['anything since 7 this morning?', 'ADE'],
  ['alerts since nov 29', 'ABCDE'],
  ['how do I fix NodeDown', 'D'],
  ['I want to see critical alerts', 'AD'],
  ['alerts for query', ''],
  // typos
  ['show alets for checkot', 'AB'],
  ['criticla alrets in prdo', 'A'],
  ['waht is firng in stagign', 'BD'],
  ['is NodDown firing', 'D'],
  ['hgih error rate', 'AB'],
  // one alert
  ['is HighErrorRate firing?', 'AB'],
  ['details of NodeDown', 'D'],
  ['why is DiskAlmostFull firing?', 'C'],
  ['explain the disk almost full alert', 'C'],
  ['since when is KubePodCrashLooping firing', 'F'],
  ['how long has NodeDown been firing?', 'D'],
  // nothing live
  ['alerts for team foo', ''],
  ['what is firing in Paris', ''],
  ['is FooBar firing?', ''],
  ['alerts on 10.0.0.7:9100', ''],
];

const LISTS_ZH: readonly (readonly [string, string])[] = [
  ['当前有哪些正在触发的告警？', 'ABCDEF'],
  ['有告警吗', 'ABCDEF'],
  ['现在什么情况', 'ABCDEF'],
  ['查看 prod 业务组当前正在告警的事件', 'ACF'],
  ['prod环境有什么告警', 'ACF'],
  ['生产环境有什么问题吗', 'ACF'],
  ['请列出所有严重级别的告警', 'AD'],
  ['有没有严重的告警', 'AD'],
  ['core团队的告警', 'CD'],
  ['数据平台的告警', 'E'],
  ['集群eu-1有哪些告警', 'ACF'],
  ['team=payments 的告警', 'AB'],
  ['env是prod的严重告警', 'A'],
  ['env＝prod，severity＝warning', 'CF'],
  ['env不是prod的告警', 'BDE'],
  ['非prod的告警', 'BDE'],
  ['除了prod以外的告警', 'BDE'],
  ['排除warning级别的告警', 'ADE'],
  ['严重和警告级别的告警', 'ABCDF'],
  ['warning以上的告警', 'ABCDF'],
  ['prod和staging的严重告警', 'AD'],
  ['10.0.0.5:9100 上有什么告警', 'A'],
  ['主机web-1.lan:9100怎么了', 'D'],
  ['“checkout”的告警', 'AB'],
  ['带有rack标签的告警', 'C'],
  ['没有namespace标签的告警', 'ABCDE'],
  ['和磁盘有关的告警', 'E'],
  ['最近一小时的告警', 'AE'],
  ['过去2小时触发的告警', 'ADE'],
  ['今天触发的告警', 'ABCDE'],
  ['9点以后的告警', 'AE'],
  ['早上8点之前触发的告警', 'BCDF'],
  ['7点到9点之间的告警', 'D'],
  ['持续超过三小时的告警', 'BCF'],
  ['半小时内的告警', 'AE'],
  ['哪些告警被静默了', 'D'],
  ['未静默的告警', 'ABCEF'],
  ['最新的2条告警', 'AE'],
  ['最新的一条告警', 'E'],
  ['哪条告警持续时间最长', 'F'],
  ['1到4小时前触发的告警', 'BD'],
  ['有没有数据库的告警', ''],
  ['cert 相关的告警', ''],
  ['老铁，prod 那边有情况没', 'ACF'],
  ['前2条严重告警', 'AD'],
  ['checkout服务正常吗', 'AB'],
  ['帮我看看prod有没有critical的alert', 'A'],
  ['麻烦帮我查一下目前线上环境里面正在发生的严重告警', 'A'],
  ['給我看嚴重的告警', 'AD'],
  ['11月29日以来的告警', 'ABCDE'],
  ['严重/提示告警', 'ADE'],
  ['有哪些新增告警', 'ABCDEF'],
  // typos
  ['列出眼中告警', 'AD'],
  ['当前告紧有哪些', 'ABCDEF'],
  ['chekcout有告警吗', 'AB'],
  ['critcal告警', 'AD'],
  // one alert
  ['HighErrorRate 在告警吗', 'AB'],
  ['NodeDown的详情', 'D'],
  ['为什么DiskAlmostFull在告警', 'C'],
  ['磁盘空间不足怎么回事', 'E'],
  ['NodeDown持续了多久', 'D'],
  ['HighErrorRate什么时候开始的', 'AB'],
  ['NodeDown恢复了吗', 'D'],
  // nothing live
  ['支付有告警吗', ''],
  ['foo团队的告警', ''],
  ['team=foo 的告警', ''],
];

describe('what is asked for, in English', () => {
  it.each(LISTS_EN)('should show the right alerts for: %s', async (question, letters) => {
    const answer = await ask(question);
    expect(shownIn(answer)).toBe(letters);
    expect(answer).not.toMatch(/\p{Script=Han}{2,} [^`]*理解为/u);
  });
});

describe('what is asked for, in Chinese', () => {
  it.each(LISTS_ZH)('should show the right alerts for: %s', async (question, letters) => {
    const answer = await ask(question);
    expect(shownIn(answer)).toBe(letters);
    expect(answer).toContain('理解为');
  });
});

/** The rows of a count as `key=number`. */
function rowsIn(answer: string): string {
  return [...answer.matchAll(/^\| (.+) \| (\d+) \|$/gm)]
    .map(([, key = '', count = '']) => `${key}=${count}`)
    .join(' ');
}

const COUNTS: readonly (readonly [string, RegExp, string])[] = [
  ['how many alerts are firing?', /\*\*6 alerts are firing\*\*/, 'warning=3 critical=2 info=1'],
  ['how mnay critcal alrets are there', /\*\*2 of 6 /, ''],
  ['number of prod alerts by severity', /\*\*3 of 6 /, 'warning=2 critical=1'],
  ['count alerts per team', /\*\*6 alerts/, 'core=2 payments=2 search=1 数据平台=1'],
  ['alerts by cluster', /\*\*6 alerts/, 'eu-1=3 us-1=3'],
  ['breakdown by env please', /\*\*6 alerts/, 'prod=3 staging=2 dev=1'],
  [
    'which team has the most alerts',
    /core, payments with 2 alerts each\./,
    'core=2 payments=2 search=1 数据平台=1',
  ],
  ['which services have critical alerts?', /\*\*2 of 6 /, 'checkout=1 search=1'],
  ['which teams are affected by HighErrorRate', /\*\*2 of 6 /, 'payments=2'],
  ['how many teams have critical alerts', /\*\*2 different `team`\*\*/, 'core=1 payments=1'],
  [
    '多少台主机在告警',
    /5 个不同的 `instance`/,
    '（无）=1 10.0.0.21:9100=1 10.0.0.51:9100=1 10.0.0.5:9100=1 db-7:9100=1 web-1.lan:9100=1',
  ],
  ['how many prod vs staging alerts', /\*\*5 of 6 /, 'prod=3 staging=2'],
  ['团队core和payments各有多少告警', /中有 4 条/, 'core=2 payments=2'],
  ['各环境严重告警数', /中有 2 条/, 'prod=1 staging=1'],
  ['what is the severity of NodeDown', /\*\*1 of 6 /, 'critical=1'],
  [
    'count alerts by team and severity in prod',
    /\*\*3 of 6 /,
    'core | warning=1 payments | critical=1 search | warning=1',
  ],
  ['how many alerts in team=foo', /No firing alert matches.*6 others are firing/, ''],
  ['break the alerts down per team', /^\*\*6 alerts/, 'core=2 payments=2 search=1 数据平台=1'],
  ['frobnicate the alerts per env', /^\*\*6 alerts/, 'prod=3 staging=2 dev=1'],
  ['list the clusters with critical alerts', /\*\*2 of 6 /, 'eu-1=1 us-1=1'],
  ['teams with more than 1 alert', /\*\*6 alerts/, 'core=2 payments=2'],
  ['do we have more warnings than criticals?', /^\*\*5 of 6 /, 'warning=3 critical=2'],
  ['warning 比 critical 多吗', /^\*\*6 条.*中有 5 条/, 'warning=3 critical=2'],
  ['按 cluster 分组看告警', /当前有 6 条/, 'eu-1=3 us-1=3'],
  ['alerts by region', /No live alert has a label called `region`/, ''],
  ['有多少条告警', /当前有 6 条/, 'warning=3 critical=2 info=1'],
  ['有多小条告井', /当前有 6 条/, 'warning=3 critical=2 info=1'],
  ['按级别统计告警', /当前有 6 条/, 'warning=3 critical=2 info=1'],
  ['各集群有多少告警', /当前有 6 条/, 'eu-1=3 us-1=3'],
  [
    '哪个团队告警最多',
    /最多的是 core, payments，各有 2 条/,
    'core=2 payments=2 search=1 数据平台=1',
  ],
  ['级别是critical的告警有几条', /中有 2 条/, ''],
  ['哪些服务有严重告警', /中有 2 条/, 'checkout=1 search=1'],
  ['DiskAlmostFull是什么级别', /中有 1 条/, 'warning=1'],
];

describe('how many', () => {
  it.each(COUNTS)('should count right for: %s', async (question, lead, rows) => {
    const answer = await ask(question);
    expect(answer).toMatch(lead);
    expect(rowsIn(answer)).toBe(rows);
  });
});

const OTHERS: readonly (readonly [string, RegExp])[] = [
  ['list silences', /\*\*1 active silence\*\*[^]*alertname="NodeDown"[^]*alice/],
  ['any silences for NodeDown?', /\*\*1 of 1 active silences\*\*/],
  ['silences created by alice', /\*\*1 of 1 active silences\*\*/],
  [
    'is anything muted, and until when?',
    /made by alice \(moving racks\), until 2026-11-30 10:30:00 UTC/,
  ],
  [
    'which alerts are muted?',
    /until 2026-11-30 10:30:00 UTC by alice: moving racks[^]*1 active silence/,
  ],
  ['哪些告警被静默了', /到 2026-11-30 10:30:00 UTC 为止，创建人 alice：moving racks/],
  ['静默到什么时候', /2026-11-30 10:30:00 UTC/],
  ['有没有静默 NodeDown 的规则', /1 条生效中的静默中有 1 条/],
  ['哪些采及目标挂了', /2 个采集目标中有 1 个离线[^]*“采及” 读作 “采集”/],
  ['哪些采集木标挂了', /2 个采集目标中有 1 个离线/],
  ['有哪些告警归则', /共有 2 条规则|2 条规则中有 2 条/],
  ['哪些监控目镖不可达', /1 个离线[^]*“监控目镖” 读作 “监控目标”/],
  ['is the api job up?', /1 of 1 target is down/],
  ['are there more than 5 critical alerts?', /^No\. \*\*2 of 6/],
  ['告警超过5条了吗', /^是。/],
  ['is everything alright with checkout', /^Not all is well/],
  ['what is firing in prod and how many are critical?', /3 of 6[^]*---[^]*\*\*1 of 6/],
  ['prod 有哪些告警，其中多少条是严重的', /有 3 条[^]*---[^]*有 1 条/],
  [
    'what is firing and who won the cup?',
    /6 alerts[^]*---[^]*did not understand[^]*`who won the cup`/,
  ],
  ['silences created by bob', /No active silence matches\*\* `bob`/],
  ['show expired silences', /There is no expired silence/],
  ['静默列表', /有 1 条生效中的静默/],
  ['当前生效的静默规则', /有 1 条生效中的静默/],
  ['谁创建的静默', /alice/],
  ['is NodeDown silenced?', /^Yes\./],
  ['HighErrorRate被静默了吗', /^没有。/],
  ['which targets are down?', /1 of 2 targets is down[^]*10\.0\.0\.9:80/],
  ['is 10.0.0.9:80 down?', /1 of 1 target is down/],
  ['list targets for job node', /0 of 1 target are down/],
  ['哪些采集目标挂了', /2 个采集目标中有 1 个离线/],
  ['targets for job nosuch', /No target matches\*\* `job=nosuch`\. There are 2 in all/],
  ['is checkout down?', /2 of 6 firing alerts match/],
  ['list alerting rules', /NeverFires/],
  ['which rules are firing', /\*\*1 of 2 rules\*\*[^]*`HighErrorRate`/],
  ['告警规则有哪些', /共有 2 条规则|2 条规则中有 2 条/],
  ['are all sources healthy?', /2 of 2 sources answer/],
  ['数据源是否正常', /2 个数据源中有 2 个/],
  ['hello', /^Hello!/],
  ['你好', /^你好/],
  ['what can you do?', /I only read/],
  ['你能做什么', /我只读取数据/],
  ['thanks!', /welcome/],
  ['silence HighErrorRate for 2 hours', /^I only read/],
  ['把NodeDown静默2小时', /^我只读取数据/],
  ['create a silence for NodeDown', /^I only read/],
  ['重启checkout', /^我只读取数据/],
  ['tell me a joke', /I did not understand/],
  ['what is the weather in Paris', /I did not understand/],
  ['讲个笑话', /我没有理解/],
  ['which alerts resolved in the last hour?', /\*\*0 alerts ended\*\*.*Prometheus remembers/],
  ['最近一小时恢复的告警', /\*\*共有 0 条告警恢复\*\*/],
  ['how many times has HighErrorRate fired', /fired\*\*.*Prometheus remembers/],
  [
    'critical alerts in prod or warning alerts in staging',
    /^I cannot put these conditions together/,
  ],
  ['alerts in the last few hours', /did not understand[^]*`in the last few hours`/],
  ['最近几个小时的告警', /没有理解[^]*`最近几个小时`/],
  ['nothing firing in dev?', /^Not all is well\./],
  ['有什么需要我关注的吗', /当前有 6 条/],
  ['哪些静默快过期了', /有 1 条生效中的静默/],
  ['metrics for checkout', /I did not understand/],
  ['what alerts are defined?', /NeverFires/],
  ['has NodeDown been silenced by someone?', /^Yes\./],
  [
    'display firing alerts by severity, worst first',
    /\*\*6 alerts are firing\*\*[^]*\| 1 \| `HighErrorRate`/,
  ],
  ['alerts tomorrow', /did not understand[^]*`tomorrow`/],
  ['show blazing alerts, whichever', /No firing alert matches\*\* `blazing`/],
  ['is anything blazing', /I did not understand/],
  ['which alerts are firing in more than one cluster', /did not understand[^]*`more than`/],
];

describe('everything else', () => {
  it.each(OTHERS)('should answer: %s', async (question, expected) => {
    expect(await ask(question)).toMatch(expected);
  });
});

/** A word left out of these would make the answer one to another question. */
const UNSURE: readonly (readonly [string, string])[] = [
  ['predict the alerts', 'predict'],
  ['frobnicate alerts by team', 'frobnicate'],
  ['blorp firing', 'blorp'],
  ['show unacknowledged alerts', 'unacknowledged'],
  ['extend the silence for NodeDown', 'extend'],
  ['send me the alerts by mail', 'send'],
  ['把告警导出一下', '导出'],
  ['alerts that matter', 'matter'],
  ['alerts that are not escalated', 'escalated'],
  ['only spicy alerts', 'spicy'],
  ['which teams have no alerts?', 'have no alerts'],
  ['哪些团队没有告警', '没有 告警'],
  ['alerts sorted by team', 'team'],
  ['alerts started at 08:52', 'at 08:52'],
  ['一小时前开始的告警', '一小时前开始'],
  ['今天的告警比昨天多吗', '比昨天'],
];

describe('what would turn the meaning', () => {
  it.each(UNSURE)('should not be left out of: %s', async (question, word) => {
    const answer = await ask(question);
    expect(answer).toMatch(/^I did not understand the question: |^我没有理解这个问题：/);
    expect(answer).toContain(`\`${word}\``);
    expect(answer).not.toMatch(/\*\*No |没有符合条件/);
  });
});

// What a stranger's questions brought to light (test/e2e/phrasings).
describe('misreadings that were', () => {
  it('should not take the sentence after a colon for a value', async () => {
    const answer = await ask('core team: what is alerting now');
    expect(answer).toMatch(/\*\*2 of 6 firing alerts match/);
    expect(answer).toContain('filter: `team=core`');
  });

  it('should read a counting word that lost a letter', async () => {
    const answer = await ask('how mny alerts per team');
    expect(answer).toMatch(/^\*\*6 alerts are firing\*\*/);
    expect(answer).toContain('counted by `team`');
  });

  it('should find a time in what a typo was read as', async () => {
    const answer = await ask('最进一小时有哪些告景');
    expect(answer).toMatch(/告警中有 \d+ 条符合条件|没有/);
    expect(answer).toContain('最近');
    expect(answer).not.toContain('未作为条件');
  });

  it.each([
    ['is everything up?', '1 of 2 targets is down'],
    ['is everything up in job api?', '1 of 1 target is down'],
    ['is job api healthy?', '1 of 1 target is down'],
    ['job api 都正常吗', '1 个采集目标中有 1 个离线'],
    ['job api 健康吗', '1 个采集目标中有 1 个离线'],
    ['都活着吗', '2 个采集目标中有 1 个离线'],
  ])('should ask the targets: %s', async (question, expected) => {
    const answer = await ask(question);
    expect(answer).toContain(expected);
    expect(answer).toContain('10.0.0.9:80');
    expect(answer).not.toContain('10.0.0.5:9100');
  });

  it('should say of a job that no target has that it is unknown', async () => {
    const answer = await ask('is everything up in job nosuch?');
    expect(answer).toMatch(/^\*\*No target matches\*\* `job=nosuch`/);
    expect(answer).toContain('job="nosuch"');
  });

  it.each([
    "what's muted right now and who muted it",
    '现在静默了什么，谁静默了它',
    'which alerts are muted and who muted them',
  ])('should find in the sentence itself what a pronoun means: %s', async (question) => {
    for (const before of [undefined, 'details of KubePodCrashLooping', 'prod alerts']) {
      const answer = await ask(question, before);
      expect(shownIn(answer)).toBe('D');
      expect(answer).toContain('alice');
      expect(answer).not.toMatch(/kept|沿用/);
    }
  });

  it.each([
    ['anything red right now?', 'AD', '“red” read as “severity=critical”'],
    ['anything amber?', 'BCF', '“amber” read as “severity=warning”'],
    ['有什么飘红的吗', 'AD', '“飘红” 读作 “severity=critical”'],
    ['prod 有没有冒烟的', 'A', '“冒烟” 读作 “severity=critical”'],
    [
      'anything weird going on in prod?',
      'ACF',
      '⚠ Not understood, and not used as a condition: `weird`',
    ],
    ['any scary alerts?', 'ABCDEF', '⚠ Not understood, and not used as a condition: `scary`'],
  ])('should read a colour as a severity, and show a mood: %s', async (question, shown, told) => {
    const answer = await ask(question);
    expect(shownIn(answer)).toBe(shown);
    expect(answer).toContain(told);
  });

  it('should not say yes to what lives with an alert, nor no to what has none', async () => {
    expect(await ask('db-7 还活着吗，有没有告警')).toMatch(/^并不正常。 \*\*6 条/);
    expect(await ask('is db-7 alive?')).toMatch(/^Not all is well\. \*\*1 of 6/);
    expect(await ask('cache-99 还活着吗，有没有告警')).toMatch(/^\*\*没有符合条件/);
    expect(await ask('is cache-99 alive?')).toMatch(/^\*\*No target matches/);
  });

  it('should not take what is up with something for what is up', async () => {
    expect(await ask('anything up with host db-7?')).toMatch(/^Yes\. \*\*1 of 6/);
    expect(await ask('is anything up in prod?')).toMatch(/^Yes\. \*\*3 of 6/);
  });

  it('should tell what it can do, however that is asked', async () => {
    expect(await ask('what the hell can you do for me')).toMatch(/I only read/);
    expect(await ask('what on earth can you do')).toMatch(/I only read/);
  });

  it.each([
    ['alerts for team foo', 'alerts: state=firing, team="foo"'],
    ['datacenter=zz9 alerts', 'alerts: state=firing, datacenter="zz9"'],
    ['机柜 A12 的告警有吗', 'alerts: state=firing, any label="A12"'],
    ['prod alerts for team foo', 'alerts: state=firing, env="prod", team="foo"'],
    ['is FooBar firing?', 'alerts: state=firing, any label="FooBar"'],
    ['targets for job nosuch', 'targets: health=any, job="nosuch"'],
    ['how many critical alerts', 'alerts: state=firing, severity="critical", counted`'],
  ])('should show the whole question to the source: %s', async (question, query) => {
    expect(await ask(question)).toContain(query);
  });

  it.each([
    ['跑个 promql：count(up == 0)', 'count(up == 0)'],
    ['checkout 的告警，但不包括 staging', 'env!="staging"'],
    ['prod 有几条告靖', '“告靖” 读作 “告警”'],
  ])('should not warn of harmless words: %s', async (question, told) => {
    const answer = await ask(question);
    expect(answer).toContain(told);
    expect(answer).not.toContain('⚠');
  });

  it.each(['show me the alert history', 'historical alerts', 'history of HighErrorRate'])(
    'should not list what fires now as what was: %s',
    async (question) => {
      expect(await ask(question)).toMatch(/^\*\*\d+ alerts? fired\*\*.*as Prometheus remembers it/);
    },
  );
});
