import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources, NOW, Talk } from '../../../test/support/fake-sources.js';

const HOUR = 3_600_000;
const HOSTS = ['web-1:9100', 'web-2:9100', 'db-1:9100'];
const METRICS = ['node_load1', 'node_memory_MemAvailable_bytes', 'node_memory_MemTotal_bytes'];

/** Series without a value in any range: what is asked of the source is what these tests are about. */
function sources(): FakeSources {
  return new FakeSources({
    alerts: [alertOf({ alertname: 'HighLatency', env: 'staging', service: 'checkout' })],
    query: (expr) => {
      const labels = expr.includes('__name__')
        ? METRICS.map((name) => ({ __name__: name }))
        : expr.startsWith('queue_length')
          ? ['ledger', 'mailer'].map((app) => ({ __name__: 'queue_length', app }))
          : HOSTS.map((instance) => ({ instance, job: 'node' }));
      return {
        kind: 'vector',
        series: labels.map((set) => ({ labels: set, samples: [{ at: 0, value: '1' }] })),
        warnings: [],
      };
    },
  });
}

/** Asked beside a chart: the lowest and highest values of each step. */
const EXTREMES = /^(?:min|max)_over_time\(/;

/** What was drawn last: the expression, and its range in hours before now. */
async function drawn(...questions: readonly string[]): Promise<readonly [string, number, number]> {
  const facts = sources();
  const talk = new Talk(facts);
  for (const question of questions) await talk.ask(question);
  const { expr, range } = facts.asked.findLast(
    (one) => one.range !== undefined && !EXTREMES.test(one.expr),
  )!;
  return [expr, (NOW - range![0]) / HOUR, (NOW - range![1]) / HOUR];
}

const FIRST = 'load of web-1 over the last 6 hours';
const LOAD = (host: string): string => `node_load1{instance="${host}:9100"}`;
const MEMORY = (host: string): string =>
  `100 * (1 - node_memory_MemAvailable_bytes{instance="${host}:9100"} / node_memory_MemTotal_bytes{instance="${host}:9100"})`;

describe('a chart with one thing changed', () => {
  it.each([
    ['and memory?', MEMORY('web-1'), 6],
    ['and its memory?', MEMORY('web-1'), 6],
    ['what about memory?', MEMORY('web-1'), 6],
    ['内存呢？', MEMORY('web-1'), 6],
    ['那内存呢', MEMORY('web-1'), 6],
    ['the same for web-2', LOAD('web-2'), 6],
    ['and web-2?', LOAD('web-2'), 6],
    ['same for db-1', LOAD('db-1'), 6],
    ['换成 web-2 看看', LOAD('web-2'), 6],
    ['web-2 呢？', LOAD('web-2'), 6],
    ['and memory of db-1?', MEMORY('db-1'), 6],
    ['over the last 24 h', LOAD('web-1'), 24],
    ['make it the last 2 hours', LOAD('web-1'), 2],
    ['redraw it for the last 2 hours', LOAD('web-1'), 2],
    ['时间范围拉长到最近 24 小时', LOAD('web-1'), 24],
    ['换成最近 24 小时', LOAD('web-1'), 24],
    ['最近两小时的呢', LOAD('web-1'), 2],
    ['the same for web-2 over the last 2 hours', LOAD('web-2'), 2],
  ])('should be drawn for “%s”', async (question, expr, hours) => {
    expect(await drawn(FIRST, question)).toEqual([expr, hours, 0]);
  });

  it('should keep what was changed before', async () => {
    const asked = [FIRST, 'the same for web-2', 'and memory?', '最近 24 小时的呢'];
    expect(await drawn(...asked)).toEqual([MEMORY('web-2'), 24, 0]);
  });

  it.each([
    ['now only for app ledger', 'queue_length{app="ledger"}', 3],
    ['只看 mailer 的', 'queue_length{app="mailer"}', 3],
    ['same for the last hour', 'queue_length', 1],
  ])('should be drawn of an own expression for “%s”', async (question, expr, hours) => {
    const first = 'plot queue_length over the last 3 hours';
    expect(await drawn(first, question)).toEqual([expr, hours, 0]);
  });

  it('should not be made up for a host that has no series', async () => {
    const talk = new Talk(sources());
    await talk.ask(FIRST);
    expect(await talk.ask('the same for web-9')).toMatch(
      /\*\*No data\*\*: nothing called `web-9` has Load/,
    );
  });

  it.each([
    [['the same for web-9', 'same for web-2'], LOAD('web-2')],
    [['the same for checkout', 'the same for web-2'], LOAD('web-2')],
    [['换成 checkout', '换成 web-2'], LOAD('web-2')],
  ])('should stay a chart where a host has no series: %s', async (questions, expr) => {
    expect(await drawn(FIRST, ...questions)).toEqual([expr, 6, 0]);
  });

  it('should say so also where only an alert is called so', async () => {
    const talk = new Talk(sources());
    await talk.ask('what is firing?');
    await talk.ask(FIRST);
    expect(await talk.ask('the same for checkout')).toMatch(
      /\*\*No data\*\*: nothing called `checkout`/,
    );
  });

  it.each(['what is firing?', 'how many alerts by service?', 'details of HighLatency', 'thanks'])(
    'should not be drawn for “%s”',
    async (question) => {
      const facts = sources();
      const talk = new Talk(facts);
      await talk.ask(FIRST);
      const before = facts.asked.filter(({ range }) => range !== undefined).length;
      await talk.ask(question);
      const after = facts.asked.filter(({ range }) => range !== undefined).length;
      expect(after).toBe(before);
    },
  );

  it('should go on with the alerts where only they have what is named', async () => {
    const talk = new Talk(sources());
    await talk.ask('what is firing?');
    await talk.ask(FIRST);
    expect(await talk.ask('and in staging?')).toContain('`HighLatency`');
  });

  it('should not be drawn without a chart before it', async () => {
    const facts = sources();
    const talk = new Talk(facts);
    await talk.ask('what is firing?');
    await talk.ask('over the last 24 h');
    expect(facts.asked.filter(({ range }) => range !== undefined)).toEqual([]);
  });
});

describe('the time of a chart', () => {
  it.each([
    ['plot node_load1 over 5m', 5 / 60],
    ['plot node_load1 over 10 minutes', 10 / 60],
    ['plot node_load1 for 30 minutes', 0.5],
    ['plot max(node_load1) over 10m', 10 / 60],
    ['query up over an hour', 1],
    ['query up over 2 hours', 2],
    ['load of web-1 over 30 minutes', 0.5],
    ['load of web-1 for the last 30 minutes', 0.5],
    ['画一下 node_load1 最近 30 分钟', 0.5],
    ['画一下 node_load1 30分钟内的曲线', 0.5],
  ])('should end now: %s', async (question, hours) => {
    const [, start, end] = await drawn(question);
    expect(start).toBeCloseTo(hours, 6);
    expect(end).toBe(0);
  });

  it.each([
    ['plot node_load1 from yesterday to tomorrow', /has not come yet: the chart ends now/],
    ['load of web-1 from yesterday to tomorrow', /has not come yet: the chart ends now/],
    ['画一下 node_load1 从昨天到明天', /尚未到来/],
  ])('should be cut at now with a word: %s', async (question, said) => {
    const facts = sources();
    expect(await new Talk(facts).ask(question)).toMatch(said);
    const { range } = facts.asked.findLast((one) => one.range !== undefined)!;
    expect(range![1]).toBe(NOW);
    // The last step is the end itself.
    const step = Math.ceil((33.5 * HOUR) / 1000 / 240) * 1000;
    expect((range![1] - range![0]) % step).toBe(0);
  });

  it('should say no such word of a time that ends now', async () => {
    expect(await new Talk(sources()).ask('plot node_load1 from 09:00 until now')).not.toMatch(
      /not come yet/,
    );
  });
});

describe('an expression', () => {
  it.each([
    `query sum(up) + ${'sum(up) + '.repeat(200)}1`,
    `plot ${'node_load1 + '.repeat(200)}1`,
    `查询 sum(up) + ${'sum(up) + '.repeat(200)}1`,
  ])('should not be run when its end is cut off', async (question) => {
    const facts = sources();
    const answer = await new Talk(facts).ask(question);
    expect(answer).toMatch(/^\*\*(?:I did nothing|未执行)\*\*/);
    expect(facts.asked).toEqual([]);
  });

  it.each([
    ['alerts with instance="a\\"} or vector(1) #"'],
    ['instance="a\\"} or vector(1) #" 的告警'],
    ["alerts with instance='a or vector(1)'"],
  ])('should not be made of a label value: %s', async (question) => {
    const facts = sources();
    await new Talk(facts).ask(question);
    expect(facts.asked.filter(({ expr }) => expr.includes('vector'))).toEqual([]);
  });

  it.each([
    [
      'plot node_load1 for instance="a\\"} or vector(1) #"',
      'node_load1{instance="a\\"} or vector(1) #"}',
    ],
    ['plot up for job="a\\b"', 'up{job="a\\\\b"}'],
  ])('should have label values escaped: %s', async (question, expr) => {
    expect((await drawn(question))[0]).toBe(expr);
  });
});
