import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltinBackend } from '../../src/assistant/builtin/builtin-backend.js';
import { openSources, type TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import type { SourceConfig } from '../../src/config/config.types.js';
import { type Alertmanager, startAlertmanager } from '../support/alertmanager.js';
import { contentOf, turnOf } from '../support/fake-sources.js';
import { type Exporter, startExporter, startPrometheus } from '../support/prometheus.js';
import { eventually, freePort, type ServiceProcess } from '../support/service-process.js';

interface ApiAlert {
  readonly labels: Record<string, string>;
  readonly startsAt: string;
}

/** The builtin backend over a real Prometheus whose rules really fire into a real Alertmanager. */
describe('the builtin assistant on live alerts', () => {
  let alertmanager: Alertmanager;
  let prometheus: ServiceProcess;
  let exporter: Exporter;
  let sources: TenantSources;
  let deadPort: number;

  beforeAll(async () => {
    [alertmanager, exporter, deadPort] = await Promise.all([
      startAlertmanager(),
      startExporter(),
      freePort(),
    ]);
    exporter.set('app_errors{service="checkout"}', 7);
    exporter.set('app_errors{service="search"}', 1);
    exporter.set('disk_used', 97);
    prometheus = await startPrometheus({
      alertmanagerUrl: alertmanager.url,
      scrape: [
        { job: 'app', targets: [exporter.target], labels: { env: 'prod' } },
        { job: 'gone', targets: [`127.0.0.1:${String(deadPort)}`] },
      ],
      rules: [
        {
          alert: 'TooManyErrors',
          expr: 'app_errors > 5',
          labels: { severity: 'critical', team: 'payments' },
          annotations: { summary: '{{ $labels.service }} has {{ $value }} errors' },
        },
        {
          alert: 'DiskFull',
          expr: 'disk_used > 95',
          labels: { severity: 'warning', team: 'core' },
        },
        { alert: 'NeverFires', expr: 'disk_used > 500', labels: { severity: 'info' } },
      ],
    });
    sources = openSources([
      { ...http('alertmanager', 'live-am'), url: alertmanager.url },
      { ...http('prometheus', 'live-prom'), url: prometheus.url },
    ]);
    await eventually(
      'both alerts',
      async () => ((await firing()).length === 2 ? true : undefined),
      40_000,
    );
  });

  afterAll(async () => {
    await sources.close();
    await Promise.all([prometheus.stop(), alertmanager.stop(), exporter.stop()]);
  });

  function http(
    type: 'alertmanager' | 'prometheus',
    name: string,
  ): Exclude<SourceConfig, { type: 'demo' }> {
    return {
      type,
      name,
      url: `http://127.0.0.1:${String(deadPort)}`,
      timeoutMs: 3000,
      maxBytes: 1_000_000,
      headers: {},
    };
  }

  async function ask(text: string, from = sources): Promise<string> {
    const frames = [];
    const run = new BuiltinBackend(from).run(turnOf(text), new AbortController().signal);
    for await (const frame of run) frames.push(frame);
    return contentOf(frames);
  }

  async function firing(): Promise<readonly ApiAlert[]> {
    return (await alertmanager.get('/alerts')) as readonly ApiAlert[];
  }

  it('should name each alert, its labels and since when, as the API of Alertmanager has it', async () => {
    const [answer, alerts] = [await ask('what is firing?'), await firing()];
    expect(answer).toContain('**2 alerts are firing**');
    expect(answer).toContain('live-am (alertmanager)');
    for (const { labels, startsAt } of alerts) {
      expect(answer).toContain(`\`${labels['alertname'] ?? ''}\``);
      expect(answer).toContain(`instance=${exporter.target}`);
      expect(answer).toContain(`${startsAt.slice(0, 10)} ${startsAt.slice(11, 19)} UTC`);
    }
    expect(answer).toContain('checkout has 7 errors');
    expect(answer).not.toContain('NeverFires');
  });

  it.each([
    ['what is firing in prod for team payments?', 'TooManyErrors', 'DiskFull'],
    ['critical alerts', 'TooManyErrors', 'DiskFull'],
    ['哪些严重告警在触发', 'TooManyErrors', 'DiskFull'],
    ['team=core 的告警', 'DiskFull', 'TooManyErrors'],
    ['is the disk full?', 'DiskFull', 'TooManyErrors'],
    ['alerts for chekcout', 'TooManyErrors', 'DiskFull'],
  ])('should answer %s', async (question, there, absent) => {
    const answer = await ask(question);
    expect(answer).toContain(`\`${there}\``);
    expect(answer).not.toContain(`\`${absent}\``);
  });

  it('should say that nothing matches, and how many others fire', async () => {
    expect(await ask('alerts for team=nobody')).toContain(
      '**No firing alert matches** `team=nobody`. 2 others are firing.',
    );
  });

  it('should evaluate an expression', async () => {
    const answer = await ask('query app_errors{service="checkout"}');
    expect(answer).toMatch(/\| `app_errors\{[^`]*service="checkout"[^`]*\}` \| 7 \|/);
    expect(answer).toContain('live-prom (prometheus)');
    expect(await ask('查询 sum(app_errors)')).toMatch(/\| 8 \|/);
    expect(await ask('query up over the last 5 minutes')).toMatch(
      /\| Series \| First \| Min \| Max \| Last \|/,
    );
    expect(await ask('query sum(rate(')).toMatch(/I did not understand|refused the request/);
    expect(await ask('query `sum(foo[5m])`')).toContain(
      'Prometheus at live-prom refused the request',
    );
  });

  it('should tell which targets are down, and the rules', async () => {
    const answer = await ask('which targets are down?');
    expect(answer).toContain('**1 of 2 targets is down**');
    expect(answer).toContain(`127.0.0.1:${String(deadPort)}`);
    expect(answer).toContain('connection refused');
    const rules = await ask('which alerting rules are firing?');
    expect(rules).toContain('**2 of 3 rules**');
    expect(rules).not.toContain('NeverFires');
  });

  it('should show a silence that amtool made, and the alert as silenced', async () => {
    const id = await alertmanager.amtool(
      'silence',
      'add',
      'alertname=DiskFull',
      '--author=bob',
      '--comment=known',
      '--duration=1h',
    );
    await eventually('silenced', async () => {
      const alerts = (await alertmanager.get('/alerts?silenced=false')) as unknown[];
      return alerts.length === 1 ? true : undefined;
    });
    const silences = await ask('有哪些静默');
    expect(silences).toContain(id);
    expect(silences).toContain('alertname="DiskFull"');
    expect(silences).toContain('bob');
    expect(await ask('is DiskFull silenced?')).toMatch(/^Yes\./);
    expect(await ask('what is firing?')).toContain('**2 alerts are firing**, 1 of them suppressed');
    expect(await ask('which alerts are not silenced?')).not.toContain('`DiskFull`');
    await alertmanager.amtool('silence', 'expire', id);
    expect(await ask('list silences')).not.toContain(id);
  });

  it('should name a dead source and still say what the others know', async () => {
    const both = openSources([
      http('alertmanager', 'dead-am'),
      { ...http('alertmanager', 'live-am'), url: alertmanager.url },
    ]);
    const answer = await ask('what is firing?', both);
    expect(answer).toContain('**2 alerts are firing**');
    expect(answer).toContain('Alertmanager at dead-am could not be reached (ECONNREFUSED)');
    expect(await both.health(new AbortController().signal)).toEqual([
      {
        name: 'dead-am',
        type: 'alertmanager',
        ok: false,
        text: 'Alertmanager at dead-am could not be reached (ECONNREFUSED)',
      },
      { name: 'live-am', type: 'alertmanager', ok: true, text: '0.25.0' },
    ]);
    await both.close();
  });

  it('should read the rules of Prometheus where no Alertmanager answers', async () => {
    const rules = openSources([
      http('alertmanager', 'dead-am'),
      { ...http('prometheus', 'live-prom'), url: prometheus.url },
    ]);
    const answer = await ask('what is firing?', rules);
    expect(answer).toContain('**2 alerts are firing**');
    expect(answer).toContain('Read from the rules of Prometheus');
    await rules.close();
  });

  it('should not name an alert any more once it is resolved', async () => {
    exporter.set('app_errors{service="checkout"}', 0);
    await eventually(
      'resolved',
      async () => ((await firing()).length === 1 ? true : undefined),
      40_000,
    );
    const answer = await ask('what is firing?');
    expect(answer).toContain('**1 alert is firing**');
    expect(answer).not.toContain('TooManyErrors');
    expect(await ask('is TooManyErrors firing?')).toMatch(
      /No\. \*\*No firing alert matches\*\* `TooManyErrors`\. 1 other is firing/,
    );
  });
});
