import { Logger } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { ordered } from '../../../../test/support/order-bench.js';

Logger.overrideLogger(false);

const DATA = 'team="data"';
const PAY = 'team="payments"';
const DISK = 'alertname="DiskFull"';
const LATENCY = 'alertname="HighLatency"';

describe('an order that is understood in every word', () => {
  it.each([
    // Exclusions.
    [
      'silence team="payments" except service="checkout" for 10m',
      `${PAY}, service!="checkout"`,
      10,
    ],
    [
      'silence team="payments" but not severity="critical" for 10m',
      `${PAY}, severity!="critical"`,
      10,
    ],
    ['silence team="payments", not severity=~"crit.*" for 10m', `${PAY}, severity!~"crit.*"`, 10],
    [
      'silence team="payments" excluding service="checkout" for 10m',
      `${PAY}, service!="checkout"`,
      10,
    ],
    [
      'silence team="payments" with the exception of service="checkout" for 10m',
      `${PAY}, service!="checkout"`,
      10,
    ],
    ['静默 team="payments" 但不包括 service="checkout" 10 分钟', `${PAY}, service!="checkout"`, 10],
    ['静默 team="payments" 除了 service="checkout" 10 分钟', `${PAY}, service!="checkout"`, 10],
    [
      '静默 team="payments" 除了 service="checkout" 以外的告警 10 分钟',
      `${PAY}, service!="checkout"`,
      10,
    ],
    ['silence everything except team="payments" for 10m', 'team!="payments"', 10],
    ['silence team payments except service checkout for 10m', `${PAY}, service!="checkout"`, 10],
    ['mute everything but DiskFull for 10m', 'alertname!="DiskFull"', 10],
    ['静默 payments 团队除了 checkout 服务的告警 30 分钟', `${PAY}, service!="checkout"`, 30],
    // Times.
    ['silence DiskFull for an hour and a half', DISK, 90],
    ['silence DiskFull for two and a half hours', DISK, 150],
    ['silence DiskFull for 1 hour and 20 minutes', DISK, 80],
    ['for the next 2 hours please silence DiskFull', DISK, 120],
    ['silence DiskFull 45m', DISK, 45],
    ['silence DiskFull for 90s', DISK, 1.5],
    ['silence DiskFull for 45s', DISK, 0.75],
    ['silence DiskFull for 100 seconds', DISK, 100 / 60],
    ['silence DiskFull for 1 minute and 30 seconds', DISK, 1.5],
    ['silence alertname="DiskFull" for 90s', DISK, 1.5],
    ['静默 DiskFull 90 秒', DISK, 1.5],
    ['静默 DiskFull 一个半小时', DISK, 90],
    ['静默 DiskFull 一小时二十分钟', DISK, 80],
    ['接下来两小时内静默 DiskFull', DISK, 120],
    // Several labels, polite forms, typos.
    [
      'could you please silence DiskFull on db-1 for 20 minutes, thanks?',
      `${DISK}, host="db-1"`,
      20,
    ],
    [
      'hi, I want to mute the critical DiskFull alerts for 15 min please',
      `severity="critical", ${DISK}`,
      15,
    ],
    ['silence alertname="DiskFull" and host="db-1" for 2h', `${DISK}, host="db-1"`, 120],
    ['create a silence for DiskFull for 2h', DISK, 120],
    ['silence {team="payments", service!="checkout"} for 10m', `${PAY}, service!="checkout"`, 10],
    ["silence team='payments' for the next hour", PAY, 60],
    ['silense HighLatency for 10m', undefined, 0],
    ['silence DiskFull and HighLatency for 10m', 'alertname=~"DiskFull|HighLatency"', 10],
    ['silence DiskFull or HighLatency for 10m', 'alertname=~"DiskFull|HighLatency"', 10],
    ['请帮我把 DiskFull 的告警静默 20 分钟，谢谢', DISK, 20],
    ['麻烦屏蔽一下 data 团队的 critical 告警半小时', `${DATA}, severity="critical"`, 30],
    ['能不能帮我静默 HighLatency 10 分钟吗', LATENCY, 10],
    ['帮忙把 db-1 上的 DiskFull 静默半个小时吧', `host="db-1", ${DISK}`, 30],
    ['静默 DiskFull 和 HighLatency 十分钟', 'alertname=~"DiskFull|HighLatency"', 10],
    ['静默 payments 团队的告警 1 小时，checkout 服务除外', `${PAY}, service!="checkout"`, 60],
    [
      '请静默 data 团队 warning 级别的 DiskFull 告警一小时',
      `${DATA}, severity="warning", ${DISK}`,
      60,
    ],
    // Everything.
    ['全部静默两小时', 'alertname=~".+"', 120],
    ['所有告警静默两小时', 'alertname=~".+"', 120],
    ['silence everything for 10m', 'alertname=~".+"', 10],
    ['DiskFull 静默两小时', DISK, 120],
  ])('should have exactly that plan: %s', async (text, plan, minutes) => {
    const made = await ordered(text);
    expect([made.plan, made.minutes, made.plan === undefined ? '' : made.text]).toEqual([
      plan,
      minutes,
      '',
    ]);
  });
});

describe('the time of a short order', () => {
  it.each([
    ['silence DiskFull for 90s', '(1 min 30 s from the proposal)'],
    ['silence DiskFull for 45s', '(45 s from the proposal)'],
    ['静默 DiskFull 90 秒', '自提出起 1 分钟 30 秒'],
  ])('should be told as it is: %s', async (text, told) => {
    expect((await ordered(text)).question).toContain(told);
  });
});

describe('an order with a word that no plan stands for', () => {
  it.each([
    // Exclusions that cannot be said.
    ['silence team="payments" unless service="checkout" for 10m', 'unless'],
    [
      'silence team="payments" except service="checkout" and severity="info" for 10m',
      'severity="info"',
    ],
    ['silence team="payments" except checkout for 10m', 'checkout'],
    ['silence DiskFull except on db-77 for 10m', 'db-77'],
    ['silence DiskFull and NoSuchAlert for 10m', 'NoSuchAlert'],
    ['静默 team="payments" 但 checkout 不要 10 分钟', 'checkout'],
    ['静默 DiskFull，不包括 db-77，10 分钟', 'db-77'],
    ["don't silence DiskFull for 10m", 'not'],
    ['do not silence team="payments" for 10m', 'not'],
    ['不要静默 DiskFull 10 分钟', '不要'],
    ['never mute DiskFull for 10m', 'never'],
    // Times that are not now.
    ['silence team="payments" for 10m tomorrow', 'tomorrow'],
    ['silence team="payments" for 10m on Sunday', 'Sunday'],
    ['silence team="payments" at 20:00 for 10m', '20:00'],
    ['silence team="payments" for 10m starting at 20:00', '20:00'],
    ['静默 team="payments" 10 分钟，明天', '明天'],
    ['静默 team="payments" 10 分钟，23 点开始', '开始'],
    ['silence HighLatency from 20:00 to 21:00', '20:00'],
    ['静默 HighLatency 从 20 点到 21 点', '20'],
    ['silence HighLatency tomorrow for 10m', 'tomorrow'],
    ['silence HighLatency for 10m every night', 'night'],
    ['silence HighLatency in 2 hours', '2 hours'],
    ['silence HighLatency for 10m in an hour', 'hour'],
    ['两小时后静默 HighLatency 10 分钟', '后'],
    ['明晚静默 HighLatency 10 分钟', '明晚'],
    ['每天静默 HighLatency 10 分钟', '每天'],
    ['silence team="payments" older than 1h for 10m', '1h'],
    ['静默超过两小时的 payments 告警 10 分钟', '两小时'],
    ['silence HighLatency for 10m and then for 20m', '20m'],
    // Conditions.
    ['silence team="payments" for 10m, but only if it is a deploy', 'only if'],
    ['silence QueueBacklog for 10m only if it is a deploy', 'only if'],
    ['silence QueueBacklog for 10m. Only if it is a deploy.', 'if'],
    ['silence QueueBacklog for 10m; only the new ones', 'new'],
    ['silence QueueBacklog for 10m once bob says so', 'bob'],
    ['silence QueueBacklog until the deploy is done', 'deploy'],
    ['silence DiskFull until it is fixed', 'until it is fixed'],
    ['silence QueueBacklog for 10m when it flaps', 'flaps'],
    ['silence QueueBacklog for 10m after the deploy', 'after'],
    ['如果在发布就静默 QueueBacklog 10 分钟', '如果'],
    ['静默 QueueBacklog 10 分钟，但要先通知 bob', 'bob'],
    ['等 bob 同意后静默 QueueBacklog 10 分钟', 'bob'],
    ['静默 QueueBacklog 直到发布结束', '发布'],
    // Narrowing.
    ['silence my DiskFull alerts for 10m', 'my'],
    ['silence new DiskFull alerts for 10m', 'new'],
    ['silence unacknowledged team="payments" for 10m', 'unacknowledged'],
    ['silence team="payments" in prod for 10m', 'prod'],
    ['silence team="payments" "checkout" for 10m', 'checkout'],
    ['silence team="payments" env=prod for 10m', 'env=prod'],
    ['silence half of DiskFull for 10m', 'half'],
    ['静默新的 DiskFull 告警 10 分钟', '新'],
    ['只静默没人处理的 DiskFull 10 分钟', '没人处理'],
    ['静默 team="payments" 里 bob 的告警 10 分钟', 'bob'],
    ['静默偶数的 DiskFull 10 分钟', '偶数'],
    ['麻烦静默 team="payments"，severity="info" 的除外，checkout 的也除外，10 分钟', 'checkout'],
    ['静默 data 团队在 db-77 上的告警 10 分钟', 'db-77'],
    ['静默跟昨天一样的 DiskFull 10 分钟', '昨天'],
    ['先静默 DiskFull 10 分钟再静默 20 分钟', '20'],
    ['静默 DiskFull 直到有人处理', '有人'],
    ['静默 DiskFull 至少 10 分钟', '至少'],
    ['静默 DiskFull 10 分钟到 20 分钟', '20'],
    ['静默一部分 DiskFull 10 分钟', '部分'],
    ['只在周末静默 DiskFull 10 分钟', '周末'],
    ['静默级别低于 critical 的告警 10 分钟', '低于'],
    ['silence DiskFull for at least 10m', 'at least'],
    ['silence DiskFull for 10m each time it fires', 'time'],
    ['silence at most 3 DiskFull for 10m', '3'],
    ['silence DiskFull for 10m like last week', 'last week'],
    ['silence everything below critical for 10m', 'below'],
    ['silence DiskFull for 10m instead of HighLatency', 'instead'],
    // This or that.
    ['silence team="payments" or team="data" for 10m', 'team=~\\"payments|data\\"'],
    ['silence team="payments" or severity="info" for 10m', 'this or that'],
    ['静默 team="payments" 或者 team="data" 10 分钟', 'team=~'],
    ['silence DiskFull or critical alerts for 10m', 'two silences'],
    // More than one thing.
    ['silence DiskFull for 10m and restart checkout', 'restart'],
    ['what is firing? silence DiskFull for 10m', 'firing'],
  ])('should be refused, and the word named: %s', async (text, word) => {
    const { plan, text: told } = await ordered(text);
    expect(plan).toBeUndefined();
    expect(told).toMatch(/Nothing was done|made no proposal|未执行任何操作|未提出操作/);
    expect(told.replaceAll('"', '\\"')).toContain(word.replaceAll(/(?<!\\)"/g, '\\"'));
  });

  it('should not advise a form that loses the time', async () => {
    const { text } = await ordered('silence HighLatency tomorrow for 10m');
    expect(text).toContain('starts as soon as it is approved');
    expect(text).not.toContain('labels');
  });

  it.each(['两小时内别再打扰我', "don't page me for two hours"])(
    'should be asked what it is about, or be for everything: %s',
    async (text) => {
      expect((await ordered(text)).text).toMatch(/Say which alerts|请说明要静默哪些告警/);
    },
  );
});
