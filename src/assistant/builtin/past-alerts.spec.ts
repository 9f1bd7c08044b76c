import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources, NOW, Talk } from '../../../test/support/fake-sources.js';
import type { QueryResult } from '../sources/source.types.js';
import { showInstant } from './time/zoned.js';

const MINUTE = 60_000;
const ENDED = NOW - 20 * MINUTE;

/** LatencyHigh fired twice and has ended, FlapA too; DiskFull fires. */
function sources(): FakeSources {
  const series = (labels: Readonly<Record<string, string>>, at: readonly number[]) => ({
    labels: { __name__: 'ALERTS', alertstate: 'firing', ...labels },
    samples: at.map((one) => ({ at: one, value: '1' })),
  });
  const answer = (...list: QueryResult['series']): QueryResult => {
    return { kind: 'vector', series: list, warnings: [] };
  };
  return new FakeSources({
    alerts: [
      alertOf({ alertname: 'DiskFull', env: 'prod', severity: 'critical' }, { age: 10 }),
      alertOf({ alertname: 'SlowStart', env: 'prod', severity: 'warning' }, { age: 90 }),
    ],
    query: (expr) =>
      expr.startsWith('max_over_time(ALERTS{')
        ? answer(
            series({ alertname: 'LatencyHigh', env: 'prod' }, [ENDED - 3 * 3_600_000, ENDED]),
            series({ alertname: 'FlapA', env: 'flap' }, [ENDED]),
          )
        : answer(),
  });
}

async function ask(...questions: readonly string[]): Promise<string> {
  const talk = new Talk(sources());
  let answer = '';
  for (const question of questions) answer = await talk.ask(question);
  return answer;
}

const END = showInstant(ENDED, 'UTC');

describe('what has ended', () => {
  it.each([
    ['which alerts ended in the last hour?', /\*\*2 alerts ended\*\*/],
    ['which alerts resolved today?', /\*\*2 alerts ended\*\*/],
    ['最近一小时恢复了哪些告警？', /\*\*共有 2 条告警恢复\*\*/],
  ])('should be told from the history of Prometheus: %s', async (question, lead) => {
    const answer = await ask(question);
    expect(answer).toMatch(lead);
    expect(answer).toContain(END);
    expect(answer).not.toMatch(/not kept|不保留/);
  });

  it.each([
    ['how often did LatencyHigh fire today?', /\*\*1 alert fired\*\*, 2 times in all/],
    ['LatencyHigh 今天触发了几次？', /\*\*共有 1 条告警触发过\*\*，合计 2 次/],
  ])('should be counted with its filter: %s', async (question, lead) => {
    const answer = await ask(question);
    expect(answer).toMatch(lead);
    expect(answer).not.toContain('FlapA');
  });

  it('should stand beside what still fires', async () => {
    const answer = await ask('what fired between 1 and 4 hours ago?');
    expect(answer).toMatch(/alerts fired in that time, ended ones included/);
    expect(answer).toContain('LatencyHigh');
  });

  it.each([
    ['triage env=flap', 'FlapA', 'LatencyHigh'],
    ['triage flap', 'FlapA', 'LatencyHigh'],
    ['分诊 env=flap', 'FlapA', 'LatencyHigh'],
  ])('should be in a first look: %s', async (question, shown, hidden) => {
    const answer = await ask(question);
    expect(answer).toContain(shown);
    expect(answer).not.toContain(hidden);
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
  ])('should be the one that fires the longest: %s', async (question) => {
    const answer = await ask(question);
    expect(answer).toContain('SlowStart');
    expect(answer).not.toContain('DiskFull');
  });

  it('should leave the first one of a list what it is', async () => {
    expect(await ask('what is firing?', 'details of the first one')).toContain('DiskFull');
  });
});
