import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources, MINUTE, NOW, Talk } from '../../../test/support/fake-sources.js';

const HOUR = 60 * MINUTE;
const HOSTS = ['web-1:9100', 'web-2:9100', 'db-1:9100'];
const SERIES: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>> = {
  node_load1: HOSTS.map((instance) => ({ instance, job: 'node' })),
  queue_length: ['ledger', 'mailer'].map((app) => ({ app, job: 'app' })),
  http_requests_total: [{ instance: 'web-1:9100', code: '200' }],
  node_memory_MemAvailable_bytes: HOSTS.map((instance) => ({ instance, job: 'node' })),
  node_memory_MemTotal_bytes: HOSTS.map((instance) => ({ instance, job: 'node' })),
};
const EXTREMES = /^(?:min|max)_over_time\(/;

/** Series without a value in any range: what is asked of the source is what these tests are about. */
function sources(): FakeSources {
  return new FakeSources({
    alerts: [alertOf({ alertname: 'HighLoad', instance: 'web-1:9100', severity: 'critical' })],
    query: (expr) => {
      const names = /__name__=~"([\w|]+)"/.exec(expr)?.[1]?.split('|');
      const of = Object.entries(SERIES).find(([name]) => expr.includes(name))?.[1] ?? [];
      const labels = names?.filter((name) => name in SERIES).map((name) => ({ __name__: name }));
      return {
        kind: 'vector',
        series: (labels ?? of).map((set) => ({
          labels: set,
          samples: [{ at: 0, value: '1' }],
        })),
        warnings: [],
      };
    },
  });
}

async function ask(...questions: readonly string[]) {
  const facts = sources();
  const talk = new Talk(facts);
  let answer = '';
  for (const question of questions) answer = await talk.ask(question);
  const last = facts.asked.findLast(({ expr, range }) => range && !EXTREMES.test(expr));
  const [start = NaN, end = NaN] = last?.range ?? [];
  const lead = answer.split('\n\n')[0] ?? '';
  return { answer, lead, asked: facts.asked, expr: last?.expr, hours: [start, end].map(ago) };
}

function ago(at: number): number {
  return (NOW - at) / HOUR;
}

const LOAD = (host: string): string => `node_load1{instance="${host}:9100"}`;

/** Asked of a real Prometheus first, before anything was changed; then taught. */
describe('a metric by its own name', () => {
  it.each([
    ['node_load1 on web-1 last hour', LOAD('web-1'), 1, 0],
    ['http_requests_total over the last 10 minutes', 'http_requests_total', 1 / 6, 0],
    ['plot node_load1 for web-1', LOAD('web-1'), 1, 0],
    ['show node_load1 of web-2 between 07:00 and 08:00', LOAD('web-2'), 2.5, 1.5],
    ['how did node_load1 on db-1 look over the past 3 hours?', LOAD('db-1'), 3, 0],
    [
      'give me a graph of queue_length for mailer, last 2 days',
      'queue_length{app="mailer"}',
      48,
      0,
    ],
    ['what was node_load1 on web-1 yesterday?', LOAD('web-1'), 33.5, 9.5],
    ['max of node_load1 on web-1 in the last 24 hours', LOAD('web-1'), 24, 0],
    ['is node_load1 rising on web-1?', LOAD('web-1'), 1, 0],
    ['plot node_load1 over the last 90 seconds', 'node_load1', 0.025, 0],
    ['rate of http_requests_total over the last 30m', 'rate(http_requests_total[5m])', 0.5, 0],
    ['plot node_load1 15:00–15:30', 'node_load1', 18.5, 18],
    ['plot node_load1 from yesterday', 'node_load1', 33.5, 0],
    ['node_load1 web-1 最近一小时', LOAD('web-1'), 1, 0],
    ['http_requests_total 最近 10 分钟', 'http_requests_total', 1 / 6, 0],
    ['画 web-1 的 node_load1', LOAD('web-1'), 1, 0],
    ['web-2 的 node_load1 从 7 点到 8 点', LOAD('web-2'), 2.5, 1.5],
    ['过去三小时 db-1 的 node_load1 怎么样', LOAD('db-1'), 3, 0],
    ['queue_length mailer 最近两天的曲线', 'queue_length{app="mailer"}', 48, 0],
    ['web-1 昨天的 node_load1', LOAD('web-1'), 33.5, 9.5],
    ['node_load1 最近 24 小时最高多少', 'node_load1', 24, 0],
    ['web-1 的 node_load1 在上升吗', LOAD('web-1'), 1, 0],
    ['画 node_load1 最近 90 秒', 'node_load1', 0.025, 0],
  ])('should be drawn: %s', async (question, expr, start, end) => {
    const drawn = await ask(question);
    expect(drawn.expr).toBe(expr);
    // It ends where it was asked to, and begins at most a step later.
    expect(drawn.hours[1]).toBeCloseTo(end, 6);
    expect(start - (drawn.hours[0] ?? NaN)).toBeGreaterThanOrEqual(-1e-9);
    expect(start - (drawn.hours[0] ?? NaN)).toBeLessThan((start - end) / 200);
    expect(drawn.answer).not.toContain('⚠');
  });

  it.each([
    ['query node_load1 on web-1', LOAD('web-1')],
    ['node_load1 web-1 现在是多少', LOAD('web-1')],
    ['what is node_load1 on web-2?', LOAD('web-2')],
    ['which host has the highest node_load1?', 'sort_desc(node_load1)'],
    ['哪台主机的 node_load1 最低', 'sort(node_load1)'],
  ])('should be told as it is now: %s', async (question, expr) => {
    const { asked, answer } = await ask(question);
    expect(asked.at(-1)).toEqual({ expr });
    expect(answer).not.toContain('⚠');
  });

  it.each([
    'plot node_load1 for web-77',
    '画 web-77 的 node_load1',
    'node_load1 on web-77 last hour',
  ])('should not be drawn of others: %s', async (question) => {
    const { lead, expr } = await ask(question);
    expect(expr).toBeUndefined();
    expect(lead).toMatch(/\*\*(?:No data|没有数据)\*\*.*`web-77`/);
  });

  it.each([
    ['how many alerts on web-1 with node_load1 in the summary?'],
    ['is HighLoad firing?'],
    ['no_such_metric on web-1'],
    ['alerts for severity=critical since 09:00'],
  ])('should not be found in: %s', async (question) => {
    expect((await ask(question)).expr).toBeUndefined();
  });
});

describe('a time that is none', () => {
  it.each([
    ['plot node_load1 from 2030-01-01', /^\*\*That time has not come yet\*\*: `from 2030-01-01`/],
    ['plot node_load1 from 2030', /^\*\*That time has not come yet\*\*/],
    ['load of web-1 tomorrow', /^\*\*That time has not come yet\*\*: `tomorrow`/],
    ['plot node_load1 from 2026-11-29 to 2026-11-28', /^\*\*That time ends before it begins\*\*/],
    ['画 node_load1 从 2030-01-01 开始', /^\*\*这段时间尚未到来\*\*/],
    ['给我看看明天的 node_load1', /^\*\*这段时间尚未到来\*\*：`明天`/],
    ['画 node_load1 从 2026-11-29 到 2026-11-28', /^\*\*这段时间的结束早于开始\*\*/],
  ])('should not become the last hour: %s', async (question, said) => {
    const { lead, expr } = await ask(question);
    expect(lead).toMatch(said);
    expect(expr).toBeUndefined();
  });

  it.each([
    [
      'plot node_load1 from 08:00 to 07:00',
      /over midnight: from 2026-11-29 08:00:00 UTC to 2026/,
      25.5,
    ],
    ['画 node_load1 8:00 到 7:00', /跨过午夜.*2026-11-29 08:00:00/, 25.5],
    ['plot node_load1 over the last 3 years', /last 90 days of it/, 90 * 24],
    ['画 node_load1 最近 3 年', /最后 90 天/, 90 * 24],
    [
      'plot node_load1 with step 1ms over the last hour',
      /15 s here, `with step 1ms` is not used/,
      1,
    ],
    ['画 node_load1 最近一小时 步长 1ms', /15 秒，未采用 `步长 1ms`/, 1],
    [
      'plot node_load1 in the last few hours',
      /could not read the time `in the last few hours`: this/,
      1,
    ],
    ['load of web-1 in the last few hours', /could not read the time/, 1],
  ])('should be said first where another one is taken: %s', async (question, said, hours) => {
    const drawn = await ask(question);
    expect(drawn.lead).toMatch(said);
    expect(drawn.hours[0]).toBeCloseTo(hours, 1);
  });
});

describe('after a chart', () => {
  const FIRST = 'load of web-1 over the last 6 hours';
  const BOTH = 'node_load1{instance=~"web-1:9100|web-2:9100"}';

  it.each([
    [['add web-2'], BOTH, 6, 0],
    [['加上 web-2'], BOTH, 6, 0],
    [['add web-2', 'only web-2'], LOAD('web-2'), 6, 0],
    [['add web-2', 'remove web-1'], LOAD('web-2'), 6, 0],
    [['加上 web-2', '去掉 web-2'], LOAD('web-1'), 6, 0],
    [['and yesterday?'], LOAD('web-1'), 33.5, 9.5],
    [['换成昨天'], LOAD('web-1'), 33.5, 9.5],
    [['zoom in to 06:00–06:30'], LOAD('web-1'), 3.5, 3],
    [['换成昨天', '放大到 15:00 到 15:30'], LOAD('web-1'), 18.5, 18],
    [['and yesterday?', 'zoom in to 06:00–06:30'], LOAD('web-1'), 27.5, 27],
    [['zoom out'], LOAD('web-1'), 12, 0],
    [['as a table'], LOAD('web-1'), 6, 0],
    [['用表格显示'], LOAD('web-1'), 6, 0],
  ])('should change it: %s', async (questions, expr, start, end) => {
    const drawn = await ask(FIRST, ...questions);
    expect([drawn.expr, ...drawn.hours]).toEqual([expr, start, end]);
  });

  it('should add nothing that there is not, and keep the chart', async () => {
    expect((await ask(FIRST, 'add web-77')).lead).toMatch(
      /^\*\*No data\*\*: nothing called `web-77`/,
    );
    expect((await ask(FIRST, 'same for web-77', 'and yesterday?')).hours).toEqual([33.5, 9.5]);
  });

  it('should take a table as a table', async () => {
    expect((await ask(FIRST, 'as a table')).lead).toMatch(/^The table below/);
  });

  it('should refuse a change of anything else as before', async () => {
    expect((await ask('add web-2')).lead).toMatch(/^I only read/);
    expect((await ask(FIRST, 'delete all alerts')).lead).toMatch(/^I only read/);
  });
});
