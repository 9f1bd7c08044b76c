import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ServiceProcess, startService } from './service-process.js';

const run = promisify(execFile);

/** An alert as a test posts it; times are ISO strings or Dates. */
export interface PostedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly startsAt?: Date | string;
  /** In the past: resolves the alert. */
  readonly endsAt?: Date | string;
  readonly generatorURL?: string;
}

export interface Alertmanager extends ServiceProcess {
  /** POST /api/v2/alerts. @throws Error when it is not accepted. */
  post(alerts: readonly PostedAlert[]): Promise<void>;
  /** GET on the API v2, e.g. `get('/alerts')`: the truth a test compares with. */
  get(path: string): Promise<unknown>;
  /** Runs amtool against this instance and returns its stdout, trimmed. */
  amtool(...args: readonly string[]): Promise<string>;
}

/** Starts Debian's `prometheus-alertmanager` alone (no gossip), groups sent within a second. */
export async function startAlertmanager(
  options: { readonly webhookUrl?: string } = {},
): Promise<Alertmanager> {
  const service = await startService({
    name: 'alertmanager',
    command: 'prometheus-alertmanager',
    readyPath: '/-/ready',
    prepare: async (dir, port) => {
      const config = join(dir, 'alertmanager.yml');
      await writeFile(config, configOf(options.webhookUrl));
      return [
        `--config.file=${config}`,
        `--storage.path=${join(dir, 'data')}`,
        `--web.listen-address=127.0.0.1:${String(port)}`,
        '--cluster.listen-address=',
        '--log.level=warn',
      ];
    },
  });
  return {
    ...service,
    post: async (alerts) => {
      const answer = await fetch(`${service.url}/api/v2/alerts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alerts),
      });
      if (answer.status !== 200) throw new Error(`alerts refused: ${await answer.text()}`);
    },
    get: async (path) => (await fetch(`${service.url}/api/v2${path}`)).json(),
    amtool: async (...args) => {
      const { stdout } = await run('amtool', [`--alertmanager.url=${service.url}`, ...args]);
      return stdout.trim();
    },
  };
}

function configOf(webhookUrl: string | undefined): string {
  const receiver =
    webhookUrl === undefined ? '' : `\n    webhook_configs: [{ url: '${webhookUrl}' }]`;
  return `route:
  receiver: test
  group_by: ['alertname']
  group_wait: 0s
  group_interval: 1s
receivers:
  - name: test${receiver}
`;
}
