import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { collectProcessMetrics, registry } from '../../src/metrics/metrics.js';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const ALERTS = join(ROOT, 'helm/nightjar/files/alerts.yaml');
const DASHBOARD = join(ROOT, 'helm/nightjar/files/dashboard.json');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A fault for each alert: what is measured while it lasts. Series start at 0 and grow each minute. */
const FAULTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  NightjarAbsent: {},
  NightjarInstanceDown: { 'up{job="ops/nightjar",instance="a"}': '0x60' },
  NightjarErrors: {
    'nightjar_requests_total{status="200"}': '0+90x60',
    'nightjar_requests_total{status="500"}': '0+10x60',
  },
  NightjarTasksFail: {
    'nightjar_tasks_settled_total{state="TASK_STATE_COMPLETED"}': '0+3x60',
    'nightjar_tasks_settled_total{state="TASK_STATE_FAILED"}': '0+1x60',
  },
  NightjarTokensUnchecked: { 'nightjar_auth_failures_total{reason="store"}': '0+1x60' },
  NightjarRedisReconnects: {
    'nightjar_redis_reconnects_total{connection="reads",instance="a"}': '0+2x60',
  },
  NightjarAppendSlow: {
    'nightjar_append_duration_seconds_bucket{le="0.25"}': '0+90x60',
    'nightjar_append_duration_seconds_bucket{le="0.5"}': '0+100x60',
    'nightjar_append_duration_seconds_bucket{le="+Inf"}': '0+100x60',
  },
  NightjarHubLag: {
    'nightjar_hub_lag_seconds_bucket{le="1",instance="a"}': '0+90x60',
    'nightjar_hub_lag_seconds_bucket{le="2.5",instance="a"}': '0+100x60',
    'nightjar_hub_lag_seconds_bucket{le="+Inf",instance="a"}': '0+100x60',
  },
  NightjarQuotaRefusals: { 'nightjar_quota_refusals_total{quota="active_user"}': '0+30x60' },
  NightjarToolsFail: {
    'nightjar_tool_calls_total{tool="list_alerts",outcome="success"}': '0+1x60',
    'nightjar_tool_calls_total{tool="list_alerts",outcome="failed"}': '0+2x60',
  },
  NightjarModelFails: {
    'nightjar_llm_requests_total{outcome="ok"}': '0+2x60',
    'nightjar_llm_requests_total{outcome="key"}': '0+1x60',
  },
  NightjarTakeovers: { 'nightjar_takeovers_total{instance="a"}': '0+3x60' },
  NightjarFencedWrites: { 'nightjar_fenced_writes_total{instance="a"}': '0x30 1x30' },
  NightjarConfigRefused: { 'nightjar_config_current{instance="a"}': '0x60' },
  // The test's clock begins in 1970.
  NightjarCertificateEnds: {
    'nightjar_tls_certificate_expiry_timestamp_seconds{instance="a"}': '1209000x60',
  },
  NightjarRunsNearLimit: { 'nightjar_active_runs{instance="a"}': '450x60' },
  NightjarBlockingTimeouts: { 'nightjar_blocking_timeouts_total{instance="a"}': '0+1x60' },
  NightjarBadTokens: { 'nightjar_auth_failures_total{reason="invalid"}': '0+120x60' },
  NightjarWebhooksDropped: { 'nightjar_push_deliveries_total{outcome="gave_up"}': '0x30 1x30' },
  NightjarEventLoopSlow: { 'nodejs_eventloop_lag_p99_seconds{instance="a"}': '0.9x60' },
};

let dir: string;
let rules: readonly Rule[];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nightjar-alerts-'));
  await copyFile(ALERTS, join(dir, 'alerts.yaml'));
  const file = parse(await readFile(ALERTS, 'utf8')) as { groups: { rules: Rule[] }[] };
  rules = file.groups.flatMap((group) => group.rules);
  collectProcessMetrics();
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Names of series, and the labels that a query asks of each, without those that a scrape adds. */
function asked(expr: string): { name: string; labels: string[] }[] {
  return [...expr.matchAll(/\b(nightjar_\w+|nodejs_\w+|process_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)]
        .map(([, label = '']) => label)
        .filter((label) => label !== 'instance' && label !== 'job'),
    }),
  );
}

/** What no instance of this build shows; empty when all is well. */
async function unknown(exprs: readonly string[]): Promise<string[]> {
  const shown = new Map<string, ReadonlySet<string>>();
  for (const metric of await registry.getMetricsAsJSON()) {
    const { labelNames = [] } = registry.getSingleMetric(metric.name) as unknown as {
      labelNames?: string[];
    };
    const histogram = metric.type.toString() === 'histogram';
    for (const suffix of histogram ? ['_bucket', '_sum', '_count'] : ['']) {
      const own = suffix === '_bucket' ? [...labelNames, 'le'] : labelNames;
      shown.set(`${metric.name}${suffix}`, new Set(own));
    }
  }
  return exprs.flatMap((expr) =>
    asked(expr).flatMap(({ name, labels }) => {
      const known = shown.get(name);
      if (known === undefined) return [name];
      return labels.filter((label) => !known.has(label)).map((label) => `${name}{${label}}`);
    }),
  );
}

async function promtool(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('promtool', args, { cwd: dir });
  return stdout;
}

describe('helm/nightjar/files/alerts.yaml', () => {
  it('should be rules that Prometheus loads', async () => {
    expect(await promtool('check', 'rules', 'alerts.yaml')).toContain('SUCCESS');
  });

  it('should ask only for what the gateway measures', async () => {
    expect(await unknown(rules.map(({ expr }) => expr))).toEqual([]);
    // The check itself can fail.
    expect(
      await unknown(['nightjar_nonsense > 1', 'nightjar_requests_total{colour="red"}']),
    ).toEqual(['nightjar_nonsense', 'nightjar_requests_total{colour}']);
  });

  it('should have a severity, a text and a section of the runbook for each alert', async () => {
    const runbook = await readFile(join(ROOT, 'docs/runbook.md'), 'utf8');
    const sections = [...runbook.matchAll(/^## (Nightjar\w+)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(rules.map(({ alert }) => alert).sort());
    for (const { alert, labels, annotations } of rules) {
      expect(['critical', 'warning']).toContain(labels['severity']);
      expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook_url', 'summary']);
      expect(annotations['runbook_url']).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    }
  });

  it('should be quiet while all is well', async () => {
    await copyFile(join(import.meta.dirname, 'alerts.test.yaml'), join(dir, 'quiet.yaml'));
    expect(await promtool('test', 'rules', 'quiet.yaml')).toContain('SUCCESS');
  });

  it('should have a fault for each alert', () => {
    expect(Object.keys(FAULTS).sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it.each(Object.keys(FAULTS))('should raise %s on its fault', async (name) => {
    const { labels } = rules.find(({ alert }) => alert === name)!;
    const series = Object.entries(FAULTS[name]!).map(([key, values]) => ({ series: key, values }));
    const test = (expected: object[]): string =>
      stringify({
        rule_files: ['alerts.yaml'],
        evaluation_interval: '1m',
        tests: [
          {
            interval: '1m',
            input_series: series,
            alert_rule_test: [{ eval_time: '40m', alertname: name, exp_alerts: expected }],
          },
        ],
      });
    // promtool compares texts, too, which hold values: that it fires is what counts.
    await writeFile(join(dir, `${name}.yaml`), test([]));
    const refused = await promtool('test', 'rules', `${name}.yaml`).then(
      () => 'it did not fire',
      (error: unknown) => error as { stdout: string; stderr: string },
    );
    const text = typeof refused === 'string' ? refused : refused.stdout + refused.stderr;
    expect(text).toMatch(new RegExp(`alertname[:=]\\s*"?${name}`));
    expect(text).toContain(`severity="${labels['severity']!}"`);
  });
});

describe('helm/nightjar/files/dashboard.json', () => {
  it('should ask only for what the gateway measures, and say what each panel shows', async () => {
    const { panels } = JSON.parse(await readFile(DASHBOARD, 'utf8')) as {
      panels: { type: string; description?: string; targets?: { expr: string }[] }[];
    };
    const exprs = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(exprs.length).toBeGreaterThan(15);
    expect(await unknown(exprs)).toEqual([]);
    for (const panel of panels) {
      if (panel.type !== 'row') expect(panel.description).toBeTruthy();
    }
  });

  it('should leave out no measurement of the gateway’s own', async () => {
    const text = await readFile(DASHBOARD, 'utf8');
    const own = (await registry.getMetricsAsJSON()).filter(({ name }) => /^nightjar_/.test(name));
    expect(own.map(({ name }) => name).filter((name) => !text.includes(name))).toEqual([]);
  });
});

describe('docs/metrics.md', () => {
  it('should name every measurement of the gateway’s own with its labels, and no other', async () => {
    const page = await readFile(join(ROOT, 'docs/metrics.md'), 'utf8');
    const rows = [...page.matchAll(/^\| `(nightjar_\w+)`\s*\| (\w+)\s*\| ([^|]*)\|/gm)].map(
      ([, name, type, labels = '']) => `${name!} ${type!} ${labels.replace(/[`\s–]/g, '')}`,
    );
    const own = (await registry.getMetricsAsJSON()).filter(({ name }) => /^nightjar_/.test(name));
    const wanted = own.map(({ name, type }) => {
      const { labelNames = [] } = registry.getSingleMetric(name) as unknown as {
        labelNames?: string[];
      };
      return `${name} ${type.toString()} ${labelNames.join(',')}`;
    });
    expect(rows.sort()).toEqual(wanted.sort());
  });
});
