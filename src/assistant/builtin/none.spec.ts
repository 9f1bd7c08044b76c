import { describe, expect, it } from 'vitest';
import { alertOf, broken, FakeSources, NOW, Talk } from '../../../test/support/fake-sources.js';
import type { Source } from '../sources/source.types.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { BuiltinBackend } from './builtin-backend.js';

const DISK = alertOf({
  alertname: 'DiskFull',
  instance: 'db-1:9100',
  severity: 'critical',
  env: 'prod',
});

/** Two sources of each kind, of which the second one is away. */
function world(away: readonly string[]): readonly Source[] {
  const series = [{ labels: { __name__: 'node_load1', instance: 'web-1:9100' }, samples: [] }];
  const fake = new FakeSources({
    alerts: [DISK],
    query: (expr) => ({
      kind: 'vector',
      series: /load1/.test(expr) ? series : [],
      warnings: [],
    }),
  });
  const other = new FakeSources();
  return [
    { ...fake.router, name: 'am-a' },
    { ...other.router, name: 'am-b' },
    { ...fake.metrics, name: 'prom-a' },
    { ...other.metrics, name: 'prom-b' },
  ].map((source) => (away.includes(source.name) ? broken(source) : source));
}

/** The answer to the last question of a conversation. */
async function ask(away: readonly string[], questions: readonly string[]): Promise<string> {
  const backend = new BuiltinBackend(new TenantSources(world(away)), () => NOW);
  const talk = new Talk({ backend: () => backend });
  let answer = '';
  for (const text of questions) answer = await talk.ask(text);
  return answer;
}

/** Says that there is none. */
const NONE =
  /(?:^|[.;:*] ?)(?:No\b|None\b|Nothing\b|There (?:is|are) no\b)|\bno (?:live|other|firing|such|series)\b|nothing is excluded|not firing|All quiet|\*\*0 |没有(?!理解|应答)|一切正常|不再触发|\*\*共有 0/imu;
/** Says that this is of a part only, and of what it is not. */
const HEDGED =
  /(?:Not that I can see|I cannot tell|did answer|无法确定|无法按|已应答).*(?:am-b|prom-b)|(?:am-b|prom-b).*(?:did answer|已应答)/u;

/** One of each handler and form of answer that may come to a no, in both languages. */
const QUESTIONS: readonly (readonly string[])[] = [
  ['alerts for web-9'],
  ['is web-9 alerting?'],
  ['is everything ok in staging?'],
  ['alerts with severity=info'],
  ['alerts not in staging'],
  ['alerts in prod or staging'],
  ['alerts for cluster=eu'],
  ['what is suppressed?'],
  ['is DiskFull silenced?'],
  ['how many alerts with severity=info?'],
  ['how many alerts by team?'],
  ['how many teams have alerts with severity=info?'],
  ['which team has the most alerts?'],
  ['details of NoSuchAlert'],
  ['what is firing?', 'show more'],
  ['what is firing?', 'is it silenced?'],
  ['what is firing?', 'and in staging?'],
  ['which alerts ended today?'],
  ['how often did NoSuchAlert fire?'],
  ['what fired yesterday?'],
  ['triage'],
  ['triage env=staging'],
  ['list silences'],
  ['silences for web-9'],
  ['which targets are down?'],
  ['targets for job=nosuch'],
  ['are all targets up?'],
  ['list rules'],
  ['rules about nosuch'],
  ['query no_such_metric'],
  ['plot no_such_metric over the last hour'],
  ['load of web-77'],
  ['plot node_load1 for web-77'],
  ['memory of web-1'],
  ['load of web-1', 'same for web-77'],
  ['runbook of NoSuchThing'],
  ['web-9 有告警吗'],
  ['除了 staging 以外的告警'],
  ['staging 一切正常吗'],
  ['哪些告警被静默了'],
  ['按团队统计告警'],
  ['今天哪些告警恢复了'],
  ['分诊'],
  ['有哪些静默'],
  ['哪些采集目标挂了'],
  ['有哪些告警规则'],
  ['查询 no_such_metric'],
  ['web-77 的负载'],
  ['web-1 的内存'],
  ['NoSuchThing 的处理手册'],
  ['现在有哪些告警', '更多'],
];

describe('no answer says that there is none', () => {
  it.each(QUESTIONS.map((questions) => [questions.join(' / '), questions] as const))(
    'while another source is away: %s',
    async (_, questions) => {
      const answer = await ask(['am-b', 'prom-b'], questions);
      const bare = answer
        .split(/\n+/)
        .filter((line) => NONE.test(line.replace(/`[^`]*`/g, '``')) && !HEDGED.test(line));
      expect(bare).toEqual([]);
    },
  );

  it('and each does where all of them answer', async () => {
    const nos = await Promise.all(
      QUESTIONS.map(async (questions) => NONE.test(await ask([], questions))),
    );
    expect(nos.filter(Boolean).length).toBeGreaterThan(QUESTIONS.length * 0.7);
  });
});
