import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SourceConfig } from '../../src/config/config.types.js';
import type { TenantLimits } from '../../src/config/limits.js';
import { freePort } from './free-port.js';
import { OwnedProcess } from './owned-process.js';
import { eventually } from './wait.js';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = join(ROOT, 'dist/main.js');
export const BACKEND = join(import.meta.dirname, 'backends/scripted.mjs');

/** Somebody with a token. */
export interface Caller {
  readonly tenant: string;
  readonly user: string;
  readonly token: string;
  /** Absent: both surfaces. */
  readonly scopes?: readonly string[];
  readonly expires?: string;
}

export function caller(
  tenant: string,
  user: string,
  more: Pick<Caller, 'scopes' | 'expires'> = {},
): Caller {
  return { tenant, user, token: `nj_${randomBytes(32).toString('base64url')}`, ...more };
}

export interface TestTenant {
  readonly id: string;
  /** Absent: the scripted backend. */
  readonly assistant?: Readonly<Record<string, unknown>>;
  readonly sources?: readonly Partial<SourceConfig>[];
  readonly limits?: Partial<TenantLimits>;
  readonly takeover?: 'rerun' | 'fail';
  readonly remotes?: readonly Readonly<Record<string, unknown>>[];
  readonly mcpServers?: readonly Readonly<Record<string, unknown>>[];
  readonly writes?: Readonly<Record<string, unknown>>;
  readonly runbooks?: Readonly<Record<string, unknown>>;
  readonly mcp?: { readonly toolsets: readonly string[] };
  readonly contextConcurrency?: 'reject' | 'queue';
}

export interface FleetOptions {
  readonly tenants: readonly TestTenant[];
  readonly callers: readonly Caller[];
  readonly redisUrl: string;
  /** Further sections of the YAML file. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Another build's dist/main.js. */
  readonly entry?: string;
}

/** Short enough for tests, long enough for two busy cores. */
export const LEASE_MS = 2_000;

/**
 * Gateways that share one configuration and Redis: separate operating-system processes, started by
 * the production command and reached over TCP only.
 */
export class Fleet {
  readonly gateways: Gateway[] = [];

  private constructor(
    readonly dir: string,
    private readonly options: FleetOptions,
  ) {}

  static async start(count: number, options: FleetOptions): Promise<Fleet> {
    if (!existsSync(ENTRY)) throw new Error('dist/main.js is missing: run make build first');
    const dir = await mkdtemp(join(tmpdir(), 'nightjar-fleet-'));
    const fleet = new Fleet(dir, options);
    // YAML holds JSON.
    await writeFile(join(dir, 'nightjar.yaml'), JSON.stringify(fleet.document(), null, 2));
    try {
      await Promise.all(Array.from({ length: count }, () => fleet.add({}, options.entry)));
    } catch (error) {
      await fleet.stop();
      throw error;
    }
    return fleet;
  }

  /** One line of JSON for each start of a run, by the process that ran it. */
  get journal(): string {
    return join(this.dir, 'journal');
  }

  /**
   * Starts one more gateway, e.g. in place of a killed one; `env` overrides the fleet's, `entry` is
   * this build's unless given.
   */
  async add(env: Readonly<Record<string, string>> = {}, entry = ENTRY): Promise<Gateway> {
    const settings = {
      ...inherited(),
      NIGHTJAR_CONFIG: join(this.dir, 'nightjar.yaml'),
      NIGHTJAR_LEASE_MS: String(LEASE_MS),
      NIGHTJAR_HEARTBEAT_MS: '500',
      NIGHTJAR_SWEEP_MS: '250',
      NIGHTJAR_LOG_LEVEL: 'info',
      REDIS_URL: this.options.redisUrl,
      ...this.options.env,
      ...env,
    };
    const gateway = await Gateway.start(settings, entry);
    this.gateways.push(gateway);
    return gateway;
  }

  async stop(): Promise<void> {
    await Promise.all(this.gateways.map((gateway) => gateway.kill9()));
    await rm(this.dir, { recursive: true, force: true });
  }

  private document(): Record<string, unknown> {
    return {
      ...this.options.config,
      tenants: this.options.tenants.map((tenant) => {
        const assistant = tenant.assistant ?? scripted({ readOnly: true });
        return {
          ...tenant,
          assistant:
            assistant['module'] === BACKEND
              ? { ...assistant, options: { journal: this.journal } }
              : assistant,
        };
      }),
      tokens: this.options.callers.map(({ token, ...rest }) => ({
        ...rest,
        sha256: createHash('sha256').update(token).digest('hex'),
      })),
    };
  }
}

/** The module backend that the message's text commands (see backends/scripted.mjs). */
export function scripted({ readOnly }: { readOnly: boolean }): Record<string, unknown> {
  return { backend: 'module', module: BACKEND, readOnly };
}

/** A gateway in a process of its own. */
export class Gateway {
  private constructor(
    readonly port: number,
    readonly managementPort: number,
    private readonly process: OwnedProcess,
  ) {}

  /** @throws Error with its output when it is not ready within 30 s. */
  static async start(env: Readonly<Record<string, string>>, entry = ENTRY): Promise<Gateway> {
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort();
      const managementPort = await freePort();
      const gateway = new Gateway(
        port,
        managementPort,
        await OwnedProcess.start(process.execPath, [entry], {
          cwd: ROOT,
          env: {
            ...env,
            HOST: '127.0.0.1',
            PORT: String(port),
            MANAGEMENT_HOST: '127.0.0.1',
            MANAGEMENT_PORT: String(managementPort),
          },
        }),
      );
      try {
        await gateway.ready();
        return gateway;
      } catch (error) {
        await gateway.kill9();
        if (attempt === 3 || !gateway.logs.includes('EADDRINUSE')) {
          throw new Error(`the gateway did not start:\n${gateway.logs.slice(-4_000)}`, {
            cause: error,
          });
        }
      }
    }
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get managementUrl(): string {
    return `http://127.0.0.1:${this.managementPort}`;
  }

  get pid(): number {
    return this.process.pid;
  }

  get logs(): string {
    return this.process.logs;
  }

  get exitCode(): number | undefined {
    return this.process.exitCode;
  }

  async isReady(): Promise<boolean> {
    const response = await fetch(`${this.managementUrl}/readyz`);
    await response.arrayBuffer();
    return response.status === 200;
  }

  async ready(timeoutMs = 60_000): Promise<void> {
    await eventually(
      'the gateway is ready',
      () => this.exitCode !== undefined || this.isReady(),
      timeoutMs,
      50,
    );
    if (this.exitCode !== undefined) throw new Error(`it ended with code ${this.exitCode}`);
  }

  /** The value of a sample of /metrics whose line starts with `name` (labels included), or 0. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.managementUrl}/metrics`)).text();
    return text
      .split('\n')
      .filter((line) => line.startsWith(name) && /[ {]/.test(line.charAt(name.length)))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  kill9(): Promise<void> {
    return this.process.kill9();
  }

  sigstop(): void {
    this.process.signal('SIGSTOP');
  }

  sigcont(): void {
    this.process.signal('SIGCONT');
  }

  sigterm(): void {
    this.process.signal('SIGTERM');
  }

  exited(): Promise<number> {
    return this.process.exited();
  }
}

/** Of our own environment only what a process needs: no setting of the developer's leaks in. */
function inherited(): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '/',
    NODE_ENV: 'production',
  };
}
