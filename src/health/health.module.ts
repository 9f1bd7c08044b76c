import { Global, Module } from '@nestjs/common';
import { DrainState } from './drain-state.js';

/** Global: protocols watch the drain state. */
@Global()
@Module({ providers: [DrainState], exports: [DrainState] })
export class HealthModule {}
