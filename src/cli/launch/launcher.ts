import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { EXIT_UNAVAILABLE } from '../../config/exit-code.js';
import { CliFailure } from '../cli-failure.js';
import { type EmbeddedRedis, startEmbeddedRedis } from './embedded-redis.js';
import { GuardedProcess } from './guarded-process.js';
import type { LaunchPlan } from './plan.js';
import { choosePorts, httpOrigin, type Ports, reachable } from './ports.js';
import { runFilePath, writeRunFile } from './run-file.js';

const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));
const READY_MS = 60_000;
const LOOK_MS = 50;
/** Who waits longer than this is told why. */
const SOON_MS = 2000;
const REDIS_GRACE_MS = 3000;
/** Beyond the drain time; a gateway cuts itself off before that. */
const GATEWAY_GRACE_MS = 8000;

interface GatewayProcess {
  readonly url: string;
  readonly readyUrl: string;
  readonly process: GuardedProcess;
}

/**
 * Everything that `nightjar serve` starts: an embedded Redis, if there is none yet, and the
 * gateways on it. Nothing of it outlives the launcher.
 */
export class Launcher {
  private redis: EmbeddedRedis | undefined;
  private runFile: string | undefined;
  private readonly gateways: GatewayProcess[] = [];
  private stopping: Promise<void> | undefined;

  constructor(
    private readonly plan: LaunchPlan,
    private readonly say: (line: string) => void,
    private readonly output: 'inherit' | 'stderr' = 'inherit',
  ) {}

  /** Where the gateways listen, as a client of this machine writes it. */
  get urls(): string[] {
    return this.gateways.map(({ url }) => url);
  }

  /**
   * Resolves when every gateway is ready.
   * @throws CliFailure when something does not start; what did is still to be stopped.
   */
  async start(): Promise<void> {
    const { config, instances, embedded, env } = this.plan;
    const ports = await choosePorts(config, instances);
    if (embedded) {
      this.say('starting a private Redis');
      await this.startRedis(ports[0]?.port ?? 0);
    }
    if (this.stopping !== undefined) throw new CliFailure(EXIT_UNAVAILABLE, 'stopped');
    const shared: NodeJS.ProcessEnv = {
      ...env,
      ...(this.redis === undefined
        ? {}
        : { REDIS_URL: this.redis.url, NIGHTJAR_PROBES_ON_MAIN: 'true' }),
    };
    this.say(instances === 1 ? 'starting the gateway' : `starting ${instances} gateways`);
    const began = performance.now();
    ports.forEach((pair) => this.gateways.push(this.startGateway(pair, shared)));
    await Promise.all(
      this.gateways.map(async (gateway) => {
        await this.untilReady(gateway);
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        this.say(`${gateway.url} is ready after ${seconds} s`);
      }),
    );
  }

  /**
   * Resolves when the launcher is to end by itself: the embedded Redis or the last gateway is gone.
   * A gateway that dies beside others is only told of: they go on with its work.
   * @returns the exit code.
   */
  async watch(): Promise<number> {
    const codes = this.gateways.map(async ({ url, process }) => {
      const code = await process.ended;
      if (this.stopping === undefined) this.say(`the gateway on ${url} ended with code ${code}`);
      return code;
    });
    const lastGateway = Promise.all(codes).then((ended) => ended.at(-1) ?? 0);
    if (this.redis === undefined) return lastGateway;
    const redisGone = this.redis.process.ended.then(() => {
      if (this.stopping === undefined) {
        this.say('the embedded redis-server ended; its data is lost');
      }
      return EXIT_UNAVAILABLE;
    });
    return Promise.race([lastGateway, redisGone]);
  }

  /** Gateways first, each with its drain time; then Redis. Idempotent. */
  stop(): Promise<void> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  /** Ends everything now. */
  kill(): void {
    this.gateways.forEach(({ process }) => {
      process.kill();
    });
    this.redis?.process.kill();
  }

  private async stopAll(): Promise<void> {
    if (this.gateways.length > 0) await this.stopGateways();
    await this.redis?.process.stop(REDIS_GRACE_MS);
    if (this.runFile !== undefined) rmSync(this.runFile, { force: true });
  }

  private async stopGateways(): Promise<void> {
    const { drainSeconds } = this.plan.config.execution;
    const began = performance.now();
    const waiting = setTimeout(() => {
      this.say(`runs and streams are not over yet; they have up to ${drainSeconds} s`);
    }, SOON_MS);
    const grace = drainSeconds * 1000 + GATEWAY_GRACE_MS;
    await Promise.all(this.gateways.map(({ process }) => process.stop(grace)));
    clearTimeout(waiting);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    this.say(`the gateways have stopped after ${seconds} s`);
  }

  private async startRedis(port: number): Promise<void> {
    const { config, env } = this.plan;
    this.runFile = runFilePath(port, env);
    this.redis = await startEmbeddedRedis(env, this.runFile);
    writeRunFile(this.runFile, {
      pid: process.pid,
      port,
      redisUrl: this.redis.url,
      prefix: config.redis.prefix,
      tenants: config.tenants.map(({ id }) => id),
    });
  }

  private startGateway({ port, managementPort }: Ports, env: NodeJS.ProcessEnv): GatewayProcess {
    const { listen, management } = this.plan.config;
    const isTls = listen.tls !== undefined;
    const url = httpOrigin(listen.host, port, isTls);
    const probes =
      managementPort === 0
        ? httpOrigin(reachable(listen.host), port, isTls)
        : httpOrigin(reachable(management.host), managementPort);
    const started = GuardedProcess.start(process.execPath, [MAIN], {
      env: { ...env, PORT: String(port), MANAGEMENT_PORT: String(managementPort) },
      output: this.output,
    });
    return { url, readyUrl: `${probes}/readyz`, process: started };
  }

  private async untilReady(gateway: GatewayProcess): Promise<void> {
    // A child of ours is asked by address, which its certificate need not name; nothing secret is sent.
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
    try {
      await this.pollReady(gateway, dispatcher);
    } finally {
      await dispatcher.destroy();
    }
  }

  private async pollReady(gateway: GatewayProcess, dispatcher: Agent): Promise<void> {
    const until = performance.now() + READY_MS;
    let reason = 'it does not answer';
    while (performance.now() < until) {
      const { exitCode } = gateway.process;
      if (exitCode !== undefined) {
        throw new CliFailure(exitCode, `the gateway on ${gateway.url} ended before it was ready`);
      }
      const answer = await readiness(gateway.readyUrl, dispatcher);
      if (answer === 'ready') return;
      reason = answer ?? reason;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    throw new CliFailure(
      EXIT_UNAVAILABLE,
      `the gateway on ${gateway.url} was not ready within ${READY_MS / 1000} s: ${reason}`,
    );
  }
}

/** `ready`, the reason why not, or nothing when there is no answer yet. */
async function readiness(url: string, dispatcher: Agent): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(url, {
      dispatcher,
      signal: AbortSignal.timeout(5000),
    });
    const { status, reason } = (await body.json()) as { status?: string; reason?: string };
    return statusCode === 200 ? 'ready' : (reason ?? status);
  } catch {
    return undefined;
  }
}
