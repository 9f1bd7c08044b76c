import { type DynamicModule, Module } from '@nestjs/common';
import { RedisPushStore } from '../store/redis-push.store.js';
import { StoreModule } from '../store/store.module.js';
import { PUSH_FORMATS, type PushFormats } from '../domain/webhook.js';
import { PushParts } from './push-parts.js';
import { PushSender } from './push-sender.js';

/** Telling webhooks what happens. Global: tasks registers them. */
@Module({})
export class PushModule {
  /** @param formats how each version writes a notification. */
  static with(formats: PushFormats): DynamicModule {
    return {
      module: PushModule,
      global: true,
      imports: [StoreModule],
      providers: [
        { provide: PUSH_FORMATS, useValue: formats },
        RedisPushStore,
        PushParts,
        PushSender,
      ],
      exports: [RedisPushStore, PushParts, PushSender],
    };
  }
}
