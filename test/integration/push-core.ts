import { randomBytes } from 'node:crypto';
import type { AssistantBackend } from '../../src/assistant/assistant-backend.js';
import type { GatewayConfig, PushSettings } from '../../src/config/config.types.js';
import { DrainState } from '../../src/health/drain-state.js';
import { V03_PUSH_FORMAT } from '../../src/protocols/a2a-v03/push-format.js';
import { V1_PUSH_FORMAT } from '../../src/protocols/a2a-v1/push-format.js';
import { PushParts } from '../../src/push/push-parts.js';
import { PushSender } from '../../src/push/push-sender.js';
import { Keys } from '../../src/redis/keys.js';
import { RedisClock } from '../../src/redis/redis.clock.js';
import { RedisPushStore } from '../../src/store/redis-push.store.js';
import { TenantDirectory } from '../../src/tenant/tenant.directory.js';
import { RedisTaskReader } from '../../src/store/redis-task.reader.js';
import { PushConfigService } from '../../src/tasks/push-config.service.js';
import { Core, coreConfig } from '../support/core.js';

const KEY = randomBytes(32).toString('hex');

export function pushSettings(over: Partial<PushSettings> = {}): PushSettings {
  return {
    encryptionKey: KEY,
    allowHttp: true,
    allowPrivate: ['127.0.0.0/8'],
    timeoutMs: 2000,
    pollMs: 50,
    retryBaseMs: 50,
    retryMaxMs: 200,
    giveUpSeconds: 60,
    concurrency: 16,
    ...over,
  };
}

/** The core of one instance with its webhooks, wired by hand. */
export class PushCore {
  readonly core: Core;
  readonly config: GatewayConfig;
  readonly push: PushConfigService;
  readonly drain = new DrainState();
  readonly parts: PushParts;
  readonly store: RedisPushStore;
  private readonly sender: PushSender;

  constructor(
    redis: { readonly url: string; readonly prefix: string },
    backend: AssistantBackend,
    over: Partial<PushSettings> = {},
  ) {
    this.config = coreConfig(redis.url, {
      redis: { ...redis, allowEviction: false },
      push: pushSettings(over),
    });
    this.core = new Core(this.config, backend);
    const keys = new Keys(this.config.redis.prefix);
    this.store = new RedisPushStore(this.core.redis, keys);
    const reader = new RedisTaskReader(this.core.redis, keys);
    const formats = { '1.0': V1_PUSH_FORMAT, '0.3': V03_PUSH_FORMAT };
    this.parts = new PushParts(this.config, this.store, reader, formats);
    this.sender = new PushSender(
      this.config,
      this.store,
      this.core.log,
      new RedisClock(),
      this.drain,
      this.parts,
      new TenantDirectory(this.config),
    );
    this.push = new PushConfigService(this.store, this.parts, this.sender, this.core.audit);
  }

  /** @param sends false: registers only, and others have to send. */
  async start(sends = true): Promise<this> {
    await this.core.start();
    if (sends) this.sender.onApplicationBootstrap();
    return this;
  }

  async stop(): Promise<void> {
    await this.sender.beforeApplicationShutdown();
    await this.core.stop();
  }
}
