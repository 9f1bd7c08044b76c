import { Module } from '@nestjs/common';
import { CommentClock } from './comment-clock.js';
import { SseResponder } from './sse-responder.js';
import { StreamQuota } from './stream-quota.js';
import { StreamRegistry } from './stream-registry.js';

/** Event streams for every protocol. Nest makes it once, so there is one registry an instance. */
@Module({
  providers: [StreamRegistry, StreamQuota, CommentClock, SseResponder],
  exports: [StreamRegistry, StreamQuota, CommentClock, SseResponder],
})
export class SseModule {}
