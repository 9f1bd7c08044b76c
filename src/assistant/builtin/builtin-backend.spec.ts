import { describe, expect, it } from 'vitest';
import {
  alertOf,
  contentOf,
  FakeSources,
  MINUTE,
  NOW,
  Talk,
  turnOf,
} from '../../../test/support/fake-sources.js';
import type { Frame } from '../assistant-backend.js';
import { Redactor } from '../llm/redactor.js';
import { DemoSource } from '../sources/demo.source.js';
import { asLabels } from '../sources/shape.js';
import { SourceError } from '../sources/source-error.js';
import type { Alert, Source } from '../sources/source.types.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { BuiltinBackend } from './builtin-backend.js';

const NEVER = new AbortController().signal;

function many(count: number): readonly Alert[] {
  return Array.from({ length: count }, (_, index) =>
    alertOf(
      { alertname: `Alert${String(index)}`, severity: 'warning', env: 'prod' },
      { age: index + 1 },
    ),
  );
}

function failing(name: string, type: 'alertmanager' | 'prometheus'): Source {
  const fail = (): Promise<never> =>
    Promise.reject(new SourceError({ name, type }, { kind: 'timeout', seconds: 10 }));
  return {
    name,
    type,
    alerts: { view: type === 'alertmanager' ? 'router' : 'rules', list: fail },
    health: fail,
    close: () => Promise.resolve(),
  };
}

async function run(
  sources: readonly Source[],
  text: string,
  now = () => NOW,
): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  const backend = new BuiltinBackend(new TenantSources(sources), now);
  for await (const frame of backend.run(turnOf(text), NEVER)) frames.push(frame);
  return frames;
}

describe('BuiltinBackend', () => {
  it.each([
    ['show details of DiskFull', 'Links'],
    ['DiskFull 告警详情', '链接'],
  ])('should lead from %j to the runbook, the dashboard and the generator', async (text, title) => {
    const alert = alertOf({ alertname: 'DiskFull' });
    const alerts = [
      {
        ...alert,
        annotations: asLabels(
          {
            runbook_url: 'https://wiki.example/disk-full',
            dashboard: 'https://al:pw@grafana.example/d/1',
            note: 'javascript:alert(1)',
          },
          'annotations',
        ),
        generatorUrl: 'http://prom.example/graph?g0.expr=disk',
      },
    ];
    const told = await new Talk(new FakeSources({ alerts })).ask(text);
    const line = told.split('\n').find((one) => one.startsWith(`- ${title}`));
    expect(line).toContain('runbook_url <https://wiki.example/disk-full>');
    expect(line).toContain('dashboard <https://grafana.example/d/1>');
    expect(line).toContain('generator <http://prom.example/graph?g0.expr=disk>');
    expect(line).not.toContain('javascript');
  });

  it('should yield its reading, a step for each tool, the answer in pieces and what to remember', async () => {
    const talk = new Talk(new FakeSources({ alerts: many(30) }));
    await talk.ask('what is firing in prod?');
    const kinds = talk.frames.map((frame) => frame.kind);
    expect(kinds.filter((kind) => kind === 'reason')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'step').length).toBeGreaterThanOrEqual(2);
    expect(kinds.filter((kind) => kind === 'content').length).toBeGreaterThan(1);
    expect(kinds.at(-1)).toBe('memory');
    expect(talk.frames.find((frame) => frame.kind === 'reason')).toMatchObject({
      text: expect.stringContaining('`env=prod`') as string,
    });
  });

  it('should show 20 rows, say how many are left, and show them when asked for more', async () => {
    const talk = new Talk(new FakeSources({ alerts: many(50) }));
    const first = await talk.ask('what is firing?');
    expect(first).toContain('**50 alerts are firing**');
    expect(first.match(/^\| \d+ \|/gm)).toHaveLength(20);
    expect(first).toContain('… and 30 more.');
    const second = await talk.ask('show more');
    expect(second.match(/^\| \d+ \|/gm)?.[0]).toBe('| 21 |');
    expect(second).toContain('… and 10 more.');
    expect(await talk.ask('the 25th one')).toContain('`Alert24`');
  });

  it.each([
    ["what's going on?", ['Affected by `service`', 'Targets down: 1 of 5', '"details of ']],
    ['please do a first triage', ['in the order in which it began', '"cpu of 10.0.0.5:9100']],
    ['出什么事了？', ['受影响的 `cluster`', '接下来可以问', '最先开始的在前']],
    ['现在 prod 出了什么事', ['6 条正在触发的告警中有 4 条', '`busigroup=prod`']],
  ])('should give a first look at an incident: %s', async (question, parts) => {
    const answer = contentOf(await run([new DemoSource('demo')], question, Date.now));
    for (const part of parts) expect(answer).toContain(part);
    const order = ['CertificateExpiresSoon', 'HighLatency', 'DiskAlmostFull', 'HighErrorRate'];
    const places = order.map((name) => answer.indexOf(name));
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  it('should give no first look where one alert is asked about', async () => {
    const answer = contentOf(
      await run([new DemoSource('demo')], "what's going on with HighErrorRate"),
    );
    expect(answer).not.toContain('Affected by');
    expect(answer).toContain('HighErrorRate');
  });

  it('should leave evidence of every tool that it called', async () => {
    const frames = await run([new DemoSource('demo')], 'what is firing?');
    const tools = frames.flatMap((frame) => (frame.kind === 'step' ? (frame.tool ?? []) : []));
    expect(tools).toMatchObject([{ callId: 'call-1', name: 'list_alerts', outcome: 'success' }]);
    expect(tools[0]?.output).toContain('HighErrorRate');
    const dead = await run([failing('am', 'alertmanager')], 'what is firing?');
    const failed = dead.flatMap((frame) => (frame.kind === 'step' ? (frame.tool ?? []) : []));
    expect(failed).toMatchObject([{ name: 'list_alerts', outcome: 'failed' }]);
  });

  it('should read a listed alert anew, and say when it fires no more', async () => {
    const sources = new FakeSources({ alerts: many(3) });
    const talk = new Talk(sources);
    await talk.ask('有哪些告警');
    expect(await talk.ask('进一步分析其中第一条')).toContain('#1 `Alert0`');
    sources.alerts = sources.alerts.slice(1);
    expect(await talk.ask('第一条')).toContain('`Alert0` 已不再触发');
    expect(await talk.ask('tell me more about the second')).toContain('#2 `Alert1`');
    expect(await talk.ask('why is it firing?')).toContain('`Alert1`');
    expect(await talk.ask('#9')).toContain('there is no number 9');
  });

  it('should say that it has no list when none was shown', async () => {
    const answer = await new Talk(new FakeSources({ alerts: many(3) })).ask('the first one');
    expect(answer).toContain('I have shown no list');
    expect(answer).not.toContain('Alert0');
  });

  it('should keep the conditions of the last question in a follow-up', async () => {
    const alerts = [
      alertOf({ alertname: 'One', severity: 'critical', env: 'prod' }),
      alertOf({ alertname: 'Two', severity: 'warning', env: 'prod' }),
      alertOf({ alertname: 'Three', severity: 'critical', env: 'dev' }),
    ];
    const talk = new Talk(new FakeSources({ alerts }));
    await talk.ask('what is firing in prod?');
    const only = await talk.ask('only the critical ones');
    expect(only).toContain('`One`');
    expect(only).not.toContain('`Three`');
    expect(await talk.ask('那 warning 呢')).toMatch(/3 条正在触发的告警中有 1 条[^]*`Two`/);
    expect(await talk.ask('what about dev?')).toContain('No firing alert matches');
    expect(await talk.ask('what is firing in dev?')).toContain('`Three`');
  });

  it.each([
    ['zh_CN', 'what is firing?', /当前有/],
    ['zh', 'hello', /你好/],
    ['en', '有哪些告警', /alerts are firing/],
    ['en_US', '你好', /^Hello/],
    ['fr', 'what is firing?', /English and Chinese only, not fr/],
    ['', '有哪些告警', /当前有/],
  ])('should answer in the language %s when it is set', async (lang, question, expected) => {
    const answer = await new Talk(new FakeSources({ alerts: many(2) })).ask(question, { lang });
    expect(answer).toMatch(expected);
  });

  it('should not take a Chinese name for a Chinese question', async () => {
    const alerts = [alertOf({ alertname: '磁盘空间不足', severity: 'info' })];
    expect(
      await new Talk(new FakeSources({ alerts })).ask('why is 磁盘空间不足 firing?'),
    ).toContain('Since:');
  });

  it('should show and read times in the zone of the turn', async () => {
    const talk = new Talk(new FakeSources({ alerts: many(2) }));
    const answer = await talk.ask('alerts since 17:29', { timezone: 'Asia/Shanghai' });
    expect(answer).toContain('2026-11-30 17:29:00 +08:00 (1 min ago)');
    expect(answer).toContain('**1 of 2 firing alerts matches**');
    const bad = await talk.ask('what is firing?', { timezone: 'Mars/Olympus' });
    expect(bad).toContain('The timezone Mars/Olympus is unknown to me; times are in UTC.');
    expect(bad).toContain('2026-11-30 09:29:00 UTC');
  });

  it('should treat text of alerts as data', async () => {
    const evil = alertOf(
      { alertname: 'A`B|C', severity: 'x\n| y', env: '**prod**' },
      { summary: `<img src=x> [click](javascript:alert(1)) | | \u202e${'long '.repeat(200)}` },
    );
    const answer = await new Talk(new FakeSources({ alerts: [evil] })).ask('what is firing?');
    const row = answer.split('\n').find((line) => line.startsWith('| 1 |')) ?? '';
    expect(row.split(/(?<!\\)\|/)).toHaveLength(8);
    expect(row).not.toMatch(/[^\\]<img|[^\\]\[click|\u202e/);
    expect(row.length).toBeLessThan(600);
  });

  it('should show no secret that stands in an alert, nor leave it in the evidence', async () => {
    const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const hostile = alertOf(
      { alertname: 'Hostile', env: 'prod', note: 'hunter2-hunter2', auth: `Bearer ${token}` },
      {
        summary: `the key is ${token}`,
        annotations: {
          summary: `DB_PASSWORD=letmein9 ${token}`,
          link: 'https://x/?t=hunter2-hunter2',
        },
      },
    );
    const { router } = new FakeSources({ alerts: [hostile] });
    const redactor = new Redactor(['hunter2-hunter2']);
    const sources = new TenantSources([router], { redactor });
    const backend = new BuiltinBackend(sources, () => NOW);
    const questions = [
      'what is firing?',
      'details of Hostile',
      'how many alerts by note?',
      '有哪些告警',
    ];
    for (const question of questions) {
      const frames: Frame[] = [];
      for await (const frame of backend.run(turnOf(question), NEVER)) frames.push(frame);
      expect(contentOf(frames)).toContain('redacted');
      expect(JSON.stringify(frames)).not.toMatch(/hunter2|ghp\\*_|letmein9/);
    }
  });

  it('should keep its memory small whatever the labels are', async () => {
    const alerts = Array.from({ length: 20 }, (_, index) =>
      alertOf({ alertname: `A${String(index)}`, blob: 'x'.repeat(5000), blob2: 'y'.repeat(5000) }),
    );
    const talk = new Talk(new FakeSources({ alerts }));
    await talk.ask('what is firing?');
    const memory = talk.frames.find((frame) => frame.kind === 'memory');
    expect(JSON.stringify(memory).length).toBeLessThan(16 * 1024);
    expect(await talk.ask('the second one')).toContain('#2 `A');
  });

  it('should show what the living sources say and name the dead one', async () => {
    const live = new FakeSources({ alerts: many(2) });
    const answer = contentOf(
      await run([failing('dr-am', 'alertmanager'), live.router], 'what is firing?'),
    );
    expect(answer).toContain('**2 alerts are firing**');
    expect(answer).toContain(
      'Alertmanager at dr-am did not answer in 10 s. What it knows is missing here.',
    );
    const chinese = contentOf(
      await run([failing('dr-am', 'alertmanager'), live.router], '有哪些告警'),
    );
    expect(chinese).toContain('Alertmanager dr-am 在 10 秒内没有应答');
  });

  it('should not say that nothing fires when no source answered', async () => {
    const answer = contentOf(await run([failing('am', 'alertmanager')], 'is anything firing?'));
    expect(answer).toContain('**I cannot tell**');
    expect(answer).not.toMatch(/\bNo\b/);
    expect(contentOf(await run([], 'what is firing?'))).toContain(
      'No source of this tenant knows alerts',
    );
  });

  it('should fall back to the rules of Prometheus, and say so', async () => {
    const prom: Source = {
      ...failing('prom', 'prometheus'),
      alerts: {
        view: 'rules',
        list: () =>
          Promise.resolve([
            alertOf({ alertname: 'FromRules' }, { source: 'prom' }),
            alertOf({ alertname: 'StillPending' }, { source: 'prom', state: 'pending' }),
          ]),
      },
    };
    const answer = contentOf(await run([failing('am', 'alertmanager'), prom], 'what is firing?'));
    expect(answer).toContain('**1 alert is firing**');
    expect(answer).toContain('Read from the rules of Prometheus');
    const live = new FakeSources({ alerts: many(1) });
    const both = contentOf(await run([live.router, prom], 'how many alerts?'));
    expect(both).toContain('**1 alert is firing**');
    expect(contentOf(await run([live.router, prom], 'pending alerts'))).toContain('`StillPending`');
  });

  it('should mark demo data in every answer about it', async () => {
    for (const question of [
      'what is firing?',
      '查看 prod 业务组当前正在告警的事件',
      'query up',
      'which targets are down?',
      'list silences',
      'rules',
    ]) {
      const answer = contentOf(await run([new DemoSource('demo')], question, Date.now));
      expect(answer).toMatch(/Demo data|演示数据/);
    }
    const chinese = contentOf(
      await run([new DemoSource('demo', () => NOW)], '查看 prod 业务组当前正在告警的事件'),
    );
    expect(chinese).toContain('6 条正在触发的告警中有 4 条符合条件');
  });

  it('should count alerts that look the same in two sources once in each, and say so', async () => {
    const [a, b] = [new FakeSources({ alerts: many(1) }), new FakeSources()];
    b.alerts = a.alerts.map((alert) => ({ ...alert, source: 'other-am' }));
    const other = { ...b.router, name: 'other-am' };
    const answer = contentOf(await run([a.router, other], 'what is firing?'));
    expect(answer).toContain('**2 alerts are firing**');
    expect(answer).toContain('1 alert has the same labels in more than one source');
  });

  it('should stop when it is aborted while a source is silent', async () => {
    const stop = new AbortController();
    const source: Source = {
      ...failing('slow', 'alertmanager'),
      alerts: {
        view: 'router',
        list: (signal) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => {
              reject(signal.reason as Error);
            });
          }),
      },
    };
    const backend = new BuiltinBackend(new TenantSources([source]));
    const drain = async (): Promise<void> => {
      for await (const frame of backend.run(turnOf('what is firing?'), stop.signal)) {
        if (frame.kind === 'step') stop.abort(new Error('canceled'));
      }
    };
    await expect(drain()).rejects.toThrow('canceled');
  });

  it('should ask about metrics what was asked', async () => {
    const asked = async (question: string): Promise<FakeSources['asked']> => {
      const sources = new FakeSources({ alerts: many(1) });
      await new Talk(sources).ask(question);
      return sources.asked;
    };
    const hour = 60 * MINUTE;
    expect(await asked('query up')).toEqual([{ expr: 'up' }]);
    expect(await asked('查询 up{job=“x”}')).toEqual([{ expr: 'up{job="x"}' }]);
    expect(await asked('what is the value of sum(rate(a_total[5m])) by (job)?')).toEqual([
      { expr: 'sum(rate(a_total[5m])) by (job)' },
    ]);
    expect(await asked('query up over the last hour')).toEqual([
      { expr: 'up', range: [NOW - hour, NOW] },
    ]);
    expect(await asked('查询 up 最近一小时')).toEqual([{ expr: 'up', range: [NOW - hour, NOW] }]);
    expect(await asked('query up at 09:00')).toEqual([
      { expr: 'up', at: Date.parse('2026-11-30T09:00:00Z') },
    ]);
    expect(await asked('query up for job=node')).toEqual([{ expr: 'up{job="node"}' }]);
    expect(await asked('node_load1 的值是多少')).toEqual([{ expr: 'node_load1' }]);
    expect(await asked('query critical alerts')).toEqual([]);
    expect(await asked('查询当前告警')).toEqual([]);
  });

  it('should show the value, its labels and its time', async () => {
    const sources = new FakeSources({
      query: () => ({
        kind: 'vector',
        warnings: [],
        series: [
          {
            labels: asLabels({ __name__: 'up', job: 'a' }, ''),
            samples: [{ at: NOW, value: '0.30000000000000004' }],
          },
        ],
      }),
    });
    const answer = await new Talk(sources).ask('query up');
    expect(answer).toContain('| `up{job="a"}` | 0.30000000000000004 | 2026-11-30 09:30:00 UTC |');
    expect(await new Talk(new FakeSources()).ask('query nosuch_metric')).toContain('**No data**');
  });

  it('should match a pattern in time, and refuse what is none, in words for the user', async () => {
    const talk = new Talk(new FakeSources({ alerts: many(1) }));
    expect(await talk.ask('alerts with env=~"p(r+)+od"')).toContain('`Alert0`');
    expect(await talk.ask('alerts with env=~"(?=p)"')).toContain('is not a pattern');
  });

  it('should say that it reads only the beginning of a very long question', async () => {
    const answer = await new Talk(new FakeSources()).ask(`what is firing? ${'x'.repeat(5000)}`);
    expect(answer).toContain('first 1000 characters');
  });
});
