import { describe, expect, it } from 'vitest';
import { FakeSources, MINUTE, NOW, Talk } from '../../../test/support/fake-sources.js';

const MIDNIGHT = Date.parse('2026-11-30T00:00:00Z');
const HOSTS = ['web-1', 'web-2', 'db-1'];
const NAMES = [
  'requests_total',
  'node_load1',
  'node_load5',
  'disk_used_percent',
  'http_latency_seconds',
];

/** Every host has every metric, since `from`. */
function sources(from = 0): FakeSources {
  return new FakeSources({
    query: (expr, at) => {
      const asked = /__name__=~"([\w|]+)"/.exec(expr)?.[1]?.split('|');
      const series = asked
        ? NAMES.filter((name) => asked.includes(name)).map((name) => ({ __name__: name }))
        : HOSTS.map((host, index) => ({ host, instance: `127.0.0.1:${String(29_591 + index)}` }));
      return {
        kind: 'vector',
        series: (asked !== undefined || at >= from ? series : []).map((labels) => ({
          labels,
          samples: [{ at, value: '1' }],
        })),
        warnings: [],
      };
    },
  });
}

async function ask(question: string, from?: number) {
  const facts = sources(from);
  const answer = await new Talk(facts).ask(question);
  const real = facts.asked.filter(
    ({ expr }) => !/__name__|_over_time\(|^group |^ALERTS/.test(expr),
  );
  const range = real.findLast((one) => one.range !== undefined);
  return { lead: answer.split('\n\n')[0] ?? '', answer, last: range ?? real.at(-1), real };
}

describe('a metric question with a condition', () => {
  it.each([
    ['node_load1 unless host="web-1"', 'node_load1{host!="web-1"}'],
    ['plot node_load1 unless host="web-1"', 'node_load1{host!="web-1"}'],
    ['plot node_load1 where host!="web-1"', 'node_load1{host!="web-1"}'],
    ['node_load1 except web-1', 'node_load1{host!="web-1"}'],
    ['plot node_load1 without web-1 last 5 minutes', 'node_load1{host!="web-1"}'],
    ['plot node_load1 except web-1 and web-2', 'node_load1{host!~"web-1|web-2"}'],
    ['load of all hosts except web-1 in the last 5 minutes', 'node_load1{host!="web-1"}'],
    ['画 node_load1 最近 5 分钟，除了 web-1', 'node_load1{host!="web-1"}'],
    ['画一下除 web-1 以外的主机的负载', 'node_load1{host!="web-1"}'],
    ['disk_used_percent > 90', 'disk_used_percent > 90'],
    ['node_load1 > 1', 'node_load1 > 1'],
    ['node_load1 ＞ 1', 'node_load1 > 1'],
    ['node_load1 * 2', 'node_load1 * 2'],
    ['node_load1 - 1', 'node_load1 - 1'],
    ['query node_load1 > 1', 'node_load1 > 1'],
    ['plot node_load1 * 2', 'node_load1 * 2'],
    ['node_load1 / node_load5', 'node_load1 / node_load5'],
    ['node_load1 offset 5m', 'node_load1 offset 5m'],
    ['http_latency_seconds > 1.5', 'http_latency_seconds > 1.5'],
    ['node_load1 > 1 on web-1', 'node_load1{host="web-1"} > 1'],
    ['plot node_load1 > 1 on web-1 last hour', 'node_load1{host="web-1"} > 1'],
    ['hosts with node_load1 above 1', 'node_load1 > 1'],
    ['disk_used_percent below 50', 'disk_used_percent < 50'],
    ['which hosts have disk_used_percent over 50?', 'disk_used_percent > 50'],
    ['which hosts have disk_used_percent of at least 50%?', 'disk_used_percent >= 50'],
    ['哪些主机的 node_load1 大于 1', 'node_load1 > 1'],
    ['node_load1 at least 1', 'node_load1 >= 1'],
    ['node_load1: web-1', 'node_load1{host="web-1"}'],
    ['rate of requests_total > 5', 'rate(requests_total[5m]) > 5'],
    ['disk_used_percent 超过 50 的主机', 'disk_used_percent > 50'],
  ])('should be asked with it: %s', async (question, expr) => {
    const { last, answer } = await ask(question);
    expect(last?.expr).toBe(expr);
    expect(answer).not.toContain('⚠');
  });

  it.each([
    ['node_load1 on web-1 > 1', '> 1'],
    ['cpu usage above 90 over the last hour', 'above 90'],
    ['load of web-1 > 5 in the last hour', '> 5'],
    ['which hosts have node_load1 above 2s?', 'above'],
    ['node_load1 above average', 'above'],
    ['node_load1 per job over the last hour', 'per'],
    ['top 3 node_load1', 'top 3'],
    ['is node_load1 at 1.5?', '1.5'],
    ['大于 1 的 node_load1', '大于'],
    ['node_load1 on web-1 without', 'without'],
  ])('should be refused where it cannot be: %s', async (question, left) => {
    const { lead, real } = await ask(question);
    expect(lead).toMatch(/^\*\*(?:Not asked|没有查询)\*\*/);
    expect(lead).toContain(left);
    expect(real).toEqual([]);
  });

  it('should not leave out what there is not', async () => {
    const { lead, real } = await ask('node_load1 except web-77');
    // It was looked up.
    expect(lead).toMatch(/^\*\*No data\*\*: nothing called `web-77`/);
    expect(real).toEqual([{ expr: 'node_load1' }]);
  });

  it('should go on with what was left out', async () => {
    const facts = sources();
    const talk = new Talk(facts);
    await talk.ask('plot node_load1 except web-1');
    await talk.ask('over the last 24 h');
    const last = facts.asked.findLast(
      ({ expr, range }) => range && /^(?!ALERTS|.*_over_time)/.test(expr),
    );
    expect(last?.expr).toBe('node_load1{host!="web-1"}');
  });
});

describe('a metric question of another day', () => {
  it('should end where the day ends, whatever stands behind it', async () => {
    const { last } = await ask('node_load1 yesterday on web-2');
    expect(last?.expr).toBe('node_load1{host="web-2"}');
    expect(last?.range?.[1]).toBe(MIDNIGHT);
  });

  it.each(['node_load1 on web-1 yesterday', 'web-1 昨天的 node_load1'])(
    'should not deny what only had no value then: %s',
    async (question) => {
      const { lead } = await ask(question, NOW - 30 * MINUTE);
      expect(lead).toMatch(/in that time|这段时间/);
      expect(lead).not.toMatch(/nothing called|没有名为/);
    },
  );
});
