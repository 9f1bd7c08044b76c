import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ServiceProcess, startService } from './service-process.js';

export interface PrometheusOptions {
  /** Where alerts are sent, e.g. the `url` of startAlertmanager. */
  readonly alertmanagerUrl?: string;
  readonly scrape?: readonly ScrapeJob[];
  readonly rules?: readonly AlertRule[];
  /** Samples of the past, as lines of OpenMetrics. */
  readonly past?: readonly string[];
}

export interface ScrapeJob {
  readonly job: string;
  /** host:port each. */
  readonly targets: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** Default 1s. */
  readonly for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Starts Debian's `prometheus`: scrapes and evaluates each second, so a rule fires in ~3 s. */
export async function startPrometheus(options: PrometheusOptions = {}): Promise<ServiceProcess> {
  return startService({
    name: 'prometheus',
    command: 'prometheus',
    readyPath: '/-/ready',
    prepare: async (dir, port) => {
      await writeFile(join(dir, 'rules.yml'), rulesOf(options.rules ?? []));
      await writeFile(join(dir, 'prometheus.yml'), configOf(options));
      if (options.past !== undefined) await backfill(dir, options.past);
      return [
        `--config.file=${join(dir, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(dir, 'data')}`,
        `--web.listen-address=127.0.0.1:${String(port)}`,
        `--storage.tsdb.retention.time=${options.past === undefined ? '1h' : '30d'}`,
        '--log.level=warn',
      ];
    },
  });
}

async function backfill(dir: string, lines: readonly string[]): Promise<void> {
  const file = join(dir, 'past.om');
  await writeFile(file, [...lines, '# EOF', ''].join('\n'));
  const args = ['tsdb', 'create-blocks-from', 'openmetrics', file, join(dir, 'data')];
  await promisify(execFile)('promtool', args);
}

/** A scrape target whose gauges the test sets. */
export interface Exporter {
  /** host:port */
  readonly target: string;
  /** `metric` may carry labels: `app_errors{code="500"}`. */
  set(metric: string, value: number): void;
  stop(): Promise<void>;
}

/** Starts a target that answers /metrics with the gauges set so far. */
export async function startExporter(): Promise<Exporter> {
  const gauges = new Map<string, number>();
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end([...gauges].map(([name, value]) => `${name} ${String(value)}\n`).join(''));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return {
    target: `127.0.0.1:${String(address.port)}`,
    set: (metric, value) => gauges.set(metric, value),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

// JSON is YAML: nothing has to be escaped by hand.
function configOf(options: PrometheusOptions): string {
  return JSON.stringify({
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml'],
    ...(options.alertmanagerUrl === undefined
      ? {}
      : {
          alerting: {
            alertmanagers: [
              { static_configs: [{ targets: [new URL(options.alertmanagerUrl).host] }] },
            ],
          },
        }),
    scrape_configs: (options.scrape ?? []).map((job) => ({
      job_name: job.job,
      static_configs: [{ targets: job.targets, labels: job.labels ?? {} }],
    })),
  });
}

function rulesOf(rules: readonly AlertRule[]): string {
  const group = { name: 'test', interval: '1s', rules: rules.map((r) => ({ for: '1s', ...r })) };
  return JSON.stringify({ groups: rules.length === 0 ? [] : [group] });
}
