import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { RedisPushStore } from '../store/redis-push.store.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import { Notifications } from './notifications.js';
import { PushCourier } from './push-courier.js';
import { PUSH_FORMATS, type PushFormats } from '../domain/webhook.js';
import { PushPoster } from './push-poster.js';
import { Sealer } from './sealer.js';
import { UrlGuard } from '../outbound/url-guard.js';

/** What registering and sending share; nothing of it is there while push is switched off. */
@Injectable()
export class PushParts {
  readonly guard: UrlGuard | undefined;
  readonly sealer: Sealer | undefined;
  readonly courier: PushCourier | undefined;
  private readonly poster: PushPoster | undefined;

  constructor(
    @Inject(GATEWAY_CONFIG) { push }: GatewayConfig,
    store: RedisPushStore,
    reader: RedisTaskReader,
    @Inject(PUSH_FORMATS) formats: PushFormats,
  ) {
    if (push === undefined) return;
    const guard = new UrlGuard(push);
    const sealer = new Sealer(push.encryptionKey);
    const poster = new PushPoster(guard, push.timeoutMs, 'Nightjar');
    const notifications = new Notifications(reader);
    this.guard = guard;
    this.sealer = sealer;
    this.poster = poster;
    this.courier = new PushCourier({
      store,
      notifications,
      poster,
      sealer,
      formats,
      settings: push,
      traceOf: (tenant, taskId) => reader.traceOf(tenant, taskId),
    });
  }

  async close(): Promise<void> {
    await this.poster?.close();
  }
}
