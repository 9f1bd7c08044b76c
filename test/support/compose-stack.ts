import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from './free-port.js';
import { OwnedProcess } from './owned-process.js';
import { eventually } from './wait.js';

const ROOT = join(import.meta.dirname, '../..');
const DOCKER = join(ROOT, 'docker');

interface ComposeFile {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: readonly string[];
        readonly environment?: Readonly<Record<string, string>>;
        readonly volumes?: readonly string[];
      }
    >
  >;
}

export interface StackOptions {
  /** Tenants beside those of docker/nightjar.yaml. */
  readonly tenants?: readonly object[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * docker/compose.yaml without Docker: its services as processes of this machine, with its commands,
 * variables and files. Only what a container network gives is replaced: `service:port` and the
 * addresses to listen on by free loopback ports, and paths by a private folder.
 */
export class ComposeStack {
  private readonly processes = new Map<string, OwnedProcess>();

  private constructor(
    readonly dir: string,
    private readonly compose: ComposeFile,
    private readonly places: ReadonlyMap<string, string>,
    private readonly options: StackOptions,
  ) {}

  static async start(options: StackOptions = {}): Promise<ComposeStack> {
    const compose = parse(await readFile(join(DOCKER, 'compose.yaml'), 'utf8'), {
      merge: true,
    }) as ComposeFile;
    const dir = await mkdtemp(join(tmpdir(), 'nightjar-compose-'));
    const stack = new ComposeStack(dir, compose, await places(dir), options);
    try {
      await stack.run();
    } catch (error) {
      const logs = [...stack.processes].map(
        ([name, { logs: text }]) => `${name}:\n${text.slice(-2000)}`,
      );
      await stack.stop();
      throw new Error(`compose.yaml did not start\n${logs.join('\n')}`, { cause: error });
    }
    return stack;
  }

  /** Where clients go: nginx. */
  get url(): string {
    return `http://${this.at('nginx:8080')}`;
  }

  /** host:port of a `service:port`. */
  at(service: string): string {
    const found = this.places.get(service);
    if (found === undefined) throw new Error(`${service} is not in the composition`);
    return found;
  }

  logs(service: string): string {
    return this.processes.get(service)?.logs ?? '';
  }

  async kill(service: string): Promise<void> {
    await this.processes.get(service)?.kill9();
  }

  /** What `docker compose exec <service> node …` would run. */
  async exec(service: string, ...args: readonly string[]): Promise<string> {
    const child = await OwnedProcess.start(process.execPath, args, {
      cwd: ROOT,
      env: this.gatewayEnv(service),
    });
    if ((await child.exited()) !== 0) throw new Error(`${args.join(' ')}: ${child.logs}`);
    return child.logs;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.processes.values()].map((child) => child.kill9()));
    await rm(this.dir, { recursive: true, force: true });
  }

  /** Starts the gateway again, e.g. after `kill`. */
  async startGateway(service: string): Promise<void> {
    await this.spawn(
      service,
      process.execPath,
      [join(ROOT, 'dist/main.js')],
      this.gatewayEnv(service),
    );
    await this.ready(service, `http://${this.at(`${service}:18000`)}/readyz`);
  }

  private async run(): Promise<void> {
    await this.write('nightjar.yaml', 'nightjar.yaml', (text) => {
      const document = parse(text) as { tenants: object[] };
      return JSON.stringify({
        ...document,
        tenants: [...document.tenants, ...(this.options.tenants ?? [])],
      });
    });
    for (const [file, source] of [
      ['nginx.conf', 'nginx.conf'],
      ['prometheus/prometheus.yml', 'prometheus/prometheus.yml'],
      ['prometheus/demo-rules.yml', 'prometheus/demo-rules.yml'],
      ['prometheus/alerts.yaml', '../helm/nightjar/files/alerts.yaml'],
      ['alertmanager/alertmanager.yml', 'alertmanager/alertmanager.yml'],
    ] as const) {
      await this.write(file, source);
    }
    const [, ...redis] = this.command('redis');
    await this.spawn('redis', 'redis-server', [
      ...redis,
      '--dir',
      this.dir,
      ...this.bound('redis:6379'),
    ]);
    await this.spawn('alertmanager', 'prometheus-alertmanager', [
      ...this.command('alertmanager'),
      `--web.listen-address=${this.at('alertmanager:9093')}`,
      '--cluster.listen-address=',
    ]);
    await this.spawn('prometheus', 'prometheus', [
      ...this.command('prometheus'),
      `--web.listen-address=${this.at('prometheus:9090')}`,
    ]);
    await this.ready('prometheus', `http://${this.at('prometheus:9090')}/-/ready`);
    await this.ready('alertmanager', `http://${this.at('alertmanager:9093')}/-/ready`);
    for (const gateway of ['gateway-1', 'gateway-2']) await this.startGateway(gateway);
    // One process, which ends when the test does.
    await this.spawn('nginx', 'nginx', [
      '-c',
      join(this.dir, 'nginx.conf'),
      '-g',
      'daemon off; master_process off;',
    ]);
    await this.ready('nginx', `${this.url}/.well-known/agent-card.json`);
  }

  private gatewayEnv(service: string): Record<string, string> {
    const given = this.compose.services[service]?.environment ?? {};
    const own = Object.entries(given).map(([name, text]) => [name, this.moved(text)]);
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.dir,
      NODE_ENV: 'production',
      ...(Object.fromEntries(own) as Record<string, string>),
      ...this.options.env,
      HOST: '127.0.0.1',
      PORT: this.port(`${service}:17000`),
      MANAGEMENT_HOST: '127.0.0.1',
      MANAGEMENT_PORT: this.port(`${service}:18000`),
    };
  }

  private command(service: string): string[] {
    return (this.compose.services[service]?.command ?? []).map((word) => this.moved(word));
  }

  private port(service: string): string {
    return this.at(service).split(':')[1] ?? '';
  }

  private bound(service: string): string[] {
    return ['--bind', '127.0.0.1', '--port', this.port(service)];
  }

  /** A text of the composition as it is on this machine. */
  private moved(text: string): string {
    let moved = text;
    for (const [there, here] of this.places) moved = moved.replaceAll(there, here);
    return moved;
  }

  private async write(
    file: string,
    source: string,
    change: (text: string) => string = (text) => text,
  ): Promise<void> {
    const path = join(this.dir, file);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, this.moved(change(await readFile(join(DOCKER, source), 'utf8'))));
  }

  private async spawn(
    name: string,
    program: string,
    args: readonly string[],
    env?: Record<string, string>,
  ): Promise<void> {
    const options = { cwd: this.dir, ...(env === undefined ? {} : { env }) };
    this.processes.set(name, await OwnedProcess.start(program, args, options));
  }

  private async ready(name: string, url: string): Promise<void> {
    await eventually(
      `${name} is ready`,
      async () => {
        const child = this.processes.get(name);
        if (child?.exitCode !== undefined) throw new Error(`${name} ended: ${child.logs}`);
        const answer = await fetch(url);
        await answer.arrayBuffer();
        return answer.status === 200;
      },
      60_000,
      100,
    );
  }
}

/** A token as `docker compose exec` would make it. */
export async function composeToken(stack: ComposeStack, tenant: string): Promise<string> {
  const user = `u${randomBytes(4).toString('hex')}`;
  const made = await stack.exec(
    'gateway-1',
    ...['dist/cli/nightjar.js', 'token', 'create', '--tenant', tenant, '--user', user],
  );
  const token = /nj_[\w-]+/.exec(made)?.[0];
  if (token === undefined) throw new Error(`no token in ${made}`);
  return token;
}

/** What stands in the files, and what it is here. Longer texts come first. */
async function places(dir: string): Promise<Map<string, string>> {
  const services = [
    'gateway-1:17000',
    'gateway-2:17000',
    'gateway-1:18000',
    'gateway-2:18000',
    'alertmanager:9093',
    'prometheus:9090',
    'redis:6379',
    'nginx:8080',
  ];
  const found = new Map<string, string>();
  for (const service of services) found.set(service, `127.0.0.1:${await freePort()}`);
  const nginx = found.get('nginx:8080') ?? '';
  found.set('localhost:8080', nginx);
  found.set('listen 8080', `listen ${nginx}`);
  found.set('/tmp/nginx', `${dir}/nginx`);
  found.set('/etc/nightjar/', `${dir}/`);
  found.set('/etc/prometheus/', `${dir}/prometheus/`);
  found.set('/etc/alertmanager/', `${dir}/alertmanager/`);
  found.set('path=/prometheus', `path=${dir}/prometheus-data`);
  found.set('path=/alertmanager', `path=${dir}/alertmanager-data`);
  return found;
}
