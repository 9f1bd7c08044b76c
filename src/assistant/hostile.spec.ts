import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources, MINUTE, NOW, turnOf } from '../../test/support/fake-sources.js';
import { hiddenIn } from '../domain/hidden-characters.js';
import type { Frame } from './assistant-backend.js';
import { BuiltinBackend } from './builtin/builtin-backend.js';
import { shownBackend } from './shown-backend.js';
import type { JsonValue } from '../domain/a2a.js';
import { Redactor } from './llm/redactor.js';
import type { LabelSet } from './sources/source.types.js';
import { SourceReads } from './tools/source-reads.js';
import { TOOLS } from './tools/tool-registry.js';

const KEY = 'tenant_own~source*key-77';
const SECRETS = [
  KEY,
  'AKIAIOSFODNN7EXAMPLE',
  'ghp_0123456789abcdefghijABCDEFGHIJ012345',
  'hunter2',
];
const LEAKS = `${SECRETS.slice(0, 3).join(' ')} password=hunter2`;
const TAGS = '\u{e0049}\u{e0067}\u{e006e}';
const BAD = `![i](http://evil.test/p.png) <img src=x> **b** ${LEAKS} \u202egnp\u200b${TAGS}`;
const NAME = 'HighErrorRate';

/** Everything that a source may say, said by an enemy. */
function hostile(): FakeSources {
  const labels = (more: LabelSet = {}): LabelSet => ({
    severity: BAD,
    team: BAD,
    service: BAD,
    instance: BAD,
    cluster: BAD,
    ...more,
  });
  const annotations = { summary: BAD, description: BAD, runbook_url: BAD, [BAD]: BAD };
  const alert = alertOf(labels({ alertname: NAME }), {
    annotations,
    receivers: [BAD],
    generatorUrl: `http://prom/?${BAD}`,
  });
  const silenced = alertOf(labels({ alertname: BAD }), {
    annotations,
    state: 'suppressed',
    silencedBy: ['s-1'],
    inhibitedBy: [BAD],
  });
  const sources = new FakeSources({
    alerts: [alert, silenced],
    silences: [
      {
        source: 'fake-am',
        id: 's-1',
        state: 'active',
        matchers: [{ name: 'team', op: '=', value: BAD }],
        createdBy: BAD,
        comment: BAD,
        startsAt: NOW - MINUTE,
        endsAt: NOW + MINUTE,
      },
    ],
    targets: [
      {
        source: 'fake-prom',
        labels: labels({ job: BAD }),
        health: 'down',
        scrapeUrl: `http://x/?${BAD}`,
        lastError: BAD,
        lastScrape: NOW,
      },
    ],
    rules: [
      {
        source: 'fake-prom',
        group: BAD,
        name: NAME,
        type: 'alerting',
        expr: `up{a="${LEAKS}"} == 0`,
        state: 'firing',
        forSeconds: 0,
        labels: labels(),
        health: 'err',
        lastError: BAD,
      },
    ],
    query: (expr) => ({
      kind: 'vector',
      warnings: [BAD],
      series: [
        {
          labels: labels({ __name__: 'node_load1', alertname: NAME, alertstate: 'firing' }),
          samples: Array.from({ length: 4 }, (_, n) => {
            return { at: NOW - (4 - n) * MINUTE, value: expr.includes('ALERTS') ? '1' : String(n) };
          }),
        },
      ],
    }),
  });
  sources.redactor = new Redactor([KEY]);
  return sources;
}

const QUESTIONS = [
  ...['help', 'what is firing?', 'how many alerts by severity', 'which team has the most alerts?'],
  ...[`details of ${NAME}`, 'tell me more about the first one', 'count alerts per cluster'],
  ...[`is ${NAME} firing?`, 'newest alert', 'is everything ok?', 'triage', 'what fired first?'],
  ...['what fired in the last hour?', 'which alerts ended in the last hour?', 'pending alerts'],
  ...['list silences', 'which alerts are silenced?', 'which targets are down?', 'list targets'],
  ...['list alerting rules', `the rule of ${NAME}`, 'query up', 'query up over the last hour'],
  ...['plot node_load1 over the last hour', 'load of web-1 over the last 6 hours'],
  ...['which host has the highest load?', 'are all sources healthy?', 'show the runbook'],
  ...[`show the runbook of ${NAME}`, 'first step', `silence ${NAME} for 1h`],
  ...['expire the silence s-1', 'alerts in the last day', 'wat is frobnicating?'],
  ...[
    '帮助',
    '现在有哪些告警?',
    '按级别统计告警',
    '哪个团队告警最多?',
    `${NAME} 的详情`,
    '第一条的详情',
  ],
  ...['一切正常吗?', '出什么事了', '最先触发的是什么?', '过去一小时触发了哪些告警?', '列出静默'],
  ...[
    '哪些告警被静默了?',
    '哪些目标宕机?',
    '列出告警规则',
    '查询 up',
    '画出 node_load1 过去一小时',
  ],
  ...[
    '数据源正常吗?',
    `${NAME} 的手册`,
    `静默 ${NAME} 一小时`,
    '结束静默 s-1',
    '按集群统计告警数量',
  ],
];

/** Every text of what a turn yields, the files' too; not what is only kept. */
function textsOf(frames: readonly Frame[]): string {
  return frames
    .filter(({ kind }) => kind !== 'memory')
    .map((frame) =>
      JSON.stringify(frame, (key, value: unknown) =>
        key === 'raw' ? textOf(Buffer.from(String(value), 'base64')) : value,
      ),
    )
    .join('\n');
}

/** A picture has no text. */
function textOf(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString('utf8') : '';
}

function markdownOf(frames: readonly Frame[]): string {
  const shown = frames.map((frame) =>
    frame.kind === 'content' || frame.kind === 'reason'
      ? frame.text
      : frame.kind === 'input_required'
        ? `\n${frame.question}`
        : '',
  );
  return shown.join('').replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
}

function expectNothing(text: string): void {
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  expect(JSON.stringify(hiddenIn(text))).toBeUndefined();
}

const RULE = {
  policy: 'ask-caller',
  within: { matchers: [] },
  otherwise: 'ask-caller',
} as const;
const writes = {
  create_silence: RULE,
  expire_silence: RULE,
};
const desk = {
  note: () => undefined,
  recall: () => Promise.resolve(undefined),
  once: () => Promise.reject(new Error('nothing is approved here')),
} as unknown as NonNullable<Parameters<BuiltinBackend['run']>[2]>;

describe('what an enemy writes into a source', () => {
  it.each(QUESTIONS)('should neither leak nor act in the answer to %s', async (question) => {
    const sources = hostile();
    const { all } = sources;
    const backend = shownBackend(new BuiltinBackend(all, () => NOW, writes), all.redactor);
    const { signal } = new AbortController();
    const frames: Frame[] = [];
    for await (const frame of backend.run(turnOf('what is firing?'), signal)) frames.push(frame);
    const memory = frames.find(({ kind }) => kind === 'memory') as { data: JsonValue };
    const history = [
      { turn: 1, user: 'what is firing?', assistant: '', complete: true, memory: memory.data },
    ];
    for await (const frame of backend.run(turnOf(question, { history }), signal, desk)) {
      frames.push(frame);
    }
    expectNothing(textsOf(frames));
    const markdown = markdownOf(frames);
    expect(markdown).not.toMatch(/(?<!\\)\[i|(?<!\\)<img/);
    expect(markdown.replace(/<http[^\s<>]*>/g, '')).not.toMatch(/(?<!\\)\*\*b\*\*/);
  });

  it.each(TOOLS.filter(({ readOnly }) => readOnly).map((tool) => [tool.name, tool] as const))(
    'should not be in a result of %s',
    async (_name, tool) => {
      const args: Readonly<Record<string, object>> = {
        get_alert: { where: [{ label: 'alertname', op: '=', values: [NAME] }] },
        count_alerts: { by: ['severity', 'team'] },
        query_metrics: { expr: 'up' },
        chart: { expr: 'up' },
        explain_rule: { name: NAME },
        list_labels: { match: 'up', label: 'team' },
        alert_timeline: { start: new Date(NOW - 60 * MINUTE).toISOString() },
      };
      const reads = new SourceReads(hostile().all);
      try {
        const result = await tool.run(
          args[tool.name] ?? {},
          { reads },
          new AbortController().signal,
        );
        expectNothing(JSON.stringify(result));
      } catch (error) {
        // Those that no source here can answer.
        expect(['read_runbook', 'alert_history']).toContain(tool.name);
        expectNothing(String(error));
      }
    },
  );

  it('should still be found by what it really is', async () => {
    const reads = new SourceReads(hostile().all);
    const list = TOOLS.find(({ name }) => name === 'list_alerts');
    const { signal } = new AbortController();
    const ask = (value: string): unknown =>
      list?.run({ where: [{ label: 'team', op: '=', values: [value] }] }, { reads }, signal);
    expect(await ask(BAD)).toMatchObject({ total: 2 });
    await expect(ask('[redacted]')).rejects.toThrow('stands for a secret');
  });
});

describe('a Prometheus that takes its time', () => {
  it('should be asked all at once by triage', async () => {
    const sources = hostile();
    const asked = new Set<string>();
    let go = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      go = resolve;
    });
    const wait = async (what: string): Promise<[]> => {
      asked.add(what);
      if (asked.size === 2) go();
      await both;
      return [];
    };
    const { metrics } = sources;
    Object.assign(metrics, { alerts: { view: 'rules', list: () => wait('rules') } });
    Object.assign(metrics.metrics ?? {}, { targets: () => wait('targets') });
    const backend = new BuiltinBackend(sources.all, () => NOW);
    const frames: Frame[] = [];
    for await (const frame of backend.run(turnOf('triage'), new AbortController().signal)) {
      frames.push(frame);
    }
    expect([...asked].sort()).toEqual(['rules', 'targets']);
    expect(frames.at(-1)?.kind).toBe('memory');
  });
});

describe('arguments of the wrong kind', () => {
  it('should be told as such, and as nothing else', async () => {
    const count = TOOLS.find(({ name }) => name === 'count_alerts');
    const reads = new SourceReads(hostile().all);
    const told: unknown = await count
      ?.run({ by: 'host' }, { reads }, new AbortController().signal)
      .catch((error: unknown) => String(error));
    expect(told).toMatch(/expected array, received string\s+→ at by$/);
  });
});
