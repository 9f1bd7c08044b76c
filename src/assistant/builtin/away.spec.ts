import { describe, expect, it } from 'vitest';
import { alertOf, broken, FakeSources, Talk } from '../../../test/support/fake-sources.js';
import type { Alert, Source } from '../sources/source.types.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { BuiltinBackend } from './builtin-backend.js';

const now = Date.parse('2026-11-30T09:30:00Z');
const DISK = alertOf({ alertname: 'DiskFull', instance: 'db-1', severity: 'critical' });
const RULE = { view: 'rules' as const };

/** Two alert routers and a Prometheus; those that are named are away. */
function world(
  away: readonly string[],
  facts: { readonly routed?: readonly Alert[]; readonly ruled?: readonly Alert[] } = {},
): readonly Source[] {
  const fake = new FakeSources({ alerts: facts.routed ?? [DISK] });
  const other = new FakeSources();
  const ruled = facts.ruled ?? facts.routed ?? [DISK];
  const prom: Source = {
    ...fake.metrics,
    alerts: { ...RULE, list: () => Promise.resolve(ruled.map((a) => ({ ...a, source: 'prom' }))) },
  };
  const all: readonly Source[] = [
    { ...fake.router, name: 'fake-am' },
    { ...other.router, name: 'am-b' },
    { ...prom, name: 'prom' },
  ];
  return all.map((source) => (away.includes(source.name) ? broken(source) : source));
}

async function ask(sources: readonly Source[], text: string): Promise<string> {
  const backend = new BuiltinBackend(new TenantSources(sources), () => now);
  return new Talk({ backend: () => backend }).ask(text);
}

const NONE =
  /\*\*(?:No|There is no|There are no)\b|^(?:No|Yes)\.|All quiet|^没有|当前没有|\*\*没有|一切正常/;

describe('a source that does not answer', () => {
  it.each([
    'is web-9 alerting?',
    'are there alerts for web-9?',
    'alerts for web-9',
    'what is suppressed?',
    'which alerts are silenced?',
    'is DiskFull silenced?',
    'how many alerts with severity=info?',
    'list silences',
    'silences for web-9',
    'runbook of NoSuchThing',
    'details for alert web-9',
    'web-9 有告警吗',
    'web-9 在告警吗？',
    '哪些告警被静默了',
    '有哪些静默',
    'DiskFull 被静默了吗',
  ])('should not turn into a no: %s', async (text) => {
    for (const away of [['am-b'], ['fake-am', 'am-b']]) {
      const answer = await ask(world(away), text);
      const [lead = ''] = answer.split('\n\n');
      expect(lead).not.toMatch(NONE);
      expect(lead).toMatch(/Not that I can see|I cannot tell|only what did answer|无法|仅为已应答/);
      expect(answer).toMatch(/am-b/);
    }
  });

  it.each([
    'which targets are down?',
    'are all targets up?',
    '哪些目标挂了',
    'list rules',
    'query up',
  ])('should not turn into nothing: %s', async (text) => {
    const [lead = ''] = (await ask(world(['prom']), text)).split('\n\n');
    expect(lead).not.toMatch(NONE);
    expect(lead).toMatch(/I cannot tell|无法/);
  });

  it.each(['what is firing?', 'how many alerts?', '有多少告警'])(
    'should be named beside what was found: %s',
    async (text) => {
      const [lead = ''] = (await ask(world(['am-b']), text)).split('\n\n');
      expect(lead).toMatch(/am-b/);
    },
  );

  it.each(['triage', 'what is going on?', 'is everything ok?', '出什么事了', '一切正常吗'])(
    'should not make %s all quiet when Prometheus is away',
    async (text) => {
      const answer = await ask(world(['prom'], { routed: [] }), text);
      expect(answer.split('\n\n')[0]).not.toMatch(NONE);
      expect(answer).toMatch(/prom/);
    },
  );

  it('should be told by the triage when it is Prometheus', async () => {
    expect(await ask(world(['prom']), 'triage')).toMatch(/⚠ Prometheus at prom/);
    expect(await ask(world([]), 'triage')).not.toContain('⚠');
  });
});

describe('alerts that Prometheus fires and no Alertmanager has', () => {
  it.each(['triage', 'is everything ok?', 'what is firing?', 'how many alerts?', '出什么事了'])(
    'should be told by %s',
    async (text) => {
      const [lead = ''] = (await ask(world([], { routed: [], ruled: [DISK] }), text)).split('\n\n');
      expect(lead).not.toMatch(NONE);
      expect(lead).toMatch(/1 alert that fake-am, am-b lacks.*`DiskFull`|有 1 条/);
    },
  );

  it('should be told beside those that it has', async () => {
    const more = alertOf({ alertname: 'Slow', severity: 'warning' });
    const lost = world([], { routed: [DISK], ruled: [DISK, more] });
    for (const text of ['triage', 'is everything ok?']) {
      expect(await ask(lost, text)).toMatch(/1 alert that fake-am, am-b lacks.*`Slow`/);
    }
  });

  it('should be the same alert when the router has more labels or fewer', async () => {
    const { cluster: _, ...fewer } = { ...DISK.labels, cluster: 'x' };
    const ruled = [{ ...DISK, labels: { ...fewer, replica: 'a' } }];
    const routed = [{ ...DISK, labels: { ...DISK.labels, cluster: 'x' } }];
    expect(await ask(world([], { routed, ruled }), 'triage')).not.toContain('lacks');
  });
});
