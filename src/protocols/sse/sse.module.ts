import { Module } from '@nestjs/common';
import { SseResponder } from './sse-responder.js';
import { StreamQuota } from './stream-quota.js';
import { StreamRegistry } from './stream-registry.js';

/** Event streams for every protocol. Nest makes it once, so there is one registry an instance. */
@Module({
  providers: [StreamRegistry, StreamQuota, SseResponder],
  exports: [StreamRegistry, StreamQuota, SseResponder],
})
export class SseModule {}
