import { Global, Module } from '@nestjs/common';
import { ReadinessProbe } from '../health/readiness-probe.js';
import { StoreModule } from '../store/store.module.js';
import { StreamHub } from './hub.js';
import { RedisReadinessProbe } from './redis-readiness.probe.js';

/** Global: health asks the probe without knowing what it probes. */
@Global()
@Module({
  imports: [StoreModule],
  providers: [StreamHub, { provide: ReadinessProbe, useClass: RedisReadinessProbe }],
  exports: [StreamHub, ReadinessProbe],
})
export class StreamsModule {}
