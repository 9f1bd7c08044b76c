import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { Fleet, type FleetOptions } from '../../support/gateway.js';
import { HookServer } from '../../support/hook-server.js';
import { RedisServer } from '../../support/redis-server.js';
import { ADMIN_TOKEN, NAMED, peopleOf, type Site, SMALL } from './world.js';

/** So long a stream is silent before its state is repeated. */
export const HEARTBEAT_MS = 1_500;
export const COMMENT_MS = 700;
/** So long a tool call waits for its task. */
export const MCP_WAIT_SECONDS = 6;

const TENANTS: FleetOptions['tenants'] = [
  { id: 'acme' },
  { id: 'globex' },
  { id: 'queue', contextConcurrency: 'queue' },
  { id: 'small', limits: SMALL },
  { id: 'demo', assistant: { backend: 'builtin' }, sources: [{ type: 'demo', name: 'demo' }] },
];

const PUSH = { enabled: true, encryptionKey: { env: 'PUSH_KEY' }, pollMs: 200 };

/** Gateways as the production command starts them, on one Redis, and a webhook to call. */
export class Deployment {
  private constructor(
    readonly site: Site,
    readonly hook: HookServer,
    private readonly stops: readonly (() => Promise<void>)[],
  ) {}

  /** @param proofs how many will run, each with people of its own. */
  static async start(proofs: number): Promise<Deployment> {
    const redis = await RedisServer.start();
    const hook = await HookServer.start();
    const stops = [() => hook.stop(), () => redis.stop()];
    const callers = Array.from({ length: proofs }, (_, index) => peopleOf(index)).flat();
    const start = async (config: Record<string, unknown>): Promise<Fleet> => {
      const prefix = `${randomBytes(4).toString('hex')}:`;
      const fleet = await Fleet.start(1, {
        redisUrl: redis.url,
        tenants: TENANTS,
        callers,
        env: {
          NIGHTJAR_ADMIN_TOKEN: ADMIN_TOKEN,
          PUSH_KEY: randomBytes(32).toString('base64'),
          CARD_KEY: generateKeyPairSync('ed25519')
            .privateKey.export({ type: 'pkcs8', format: 'pem' })
            .toString(),
          NIGHTJAR_STREAM_HEARTBEAT_MS: String(HEARTBEAT_MS),
          NIGHTJAR_SSE_COMMENT_MS: String(COMMENT_MS),
          NIGHTJAR_MCP_MAX_WAIT_SECONDS: String(MCP_WAIT_SECONDS),
        },
        config: {
          ...config,
          redis: { prefix },
          // All proofs come from one address, and some from callers with a wrong token.
          auth: { ...(config['auth'] as object | undefined), failuresPerMinute: 100_000 },
        },
      });
      stops.unshift(() => fleet.stop());
      return fleet;
    };
    try {
      // One after another: five at once take longer than they may on a busy machine.
      const main = await start({
        push: { ...PUSH, allowHttp: true, allowPrivate: ['127.0.0.1'] },
      });
      await main.add();
      const named = await start({
        publicUrl: NAMED.publicUrl,
        auth: { headerName: NAMED.headerName },
        card: { signingKey: { env: 'CARD_KEY' } },
        push: PUSH,
      });
      const plain = await start({ mcp: { enabled: false } });
      const off = await start({ a2a: { enabled: false } });
      const [a, b] = main.gateways;
      const site = {
        a: a!.baseUrl,
        b: b!.baseUrl,
        management: a!.managementUrl,
        named: named.gateways[0]!.baseUrl,
        plain: plain.gateways[0]!.baseUrl,
        off: off.gateways[0]!.baseUrl,
      };
      return new Deployment(site, hook, stops);
    } catch (error) {
      for (const stop of stops) await stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    for (const stop of this.stops) await stop();
  }
}
