import { Injectable } from '@nestjs/common';

/**
 * Redis' time, estimated between heartbeats: status timestamps of all instances then agree to
 * within a round trip, whatever their own clocks say. Never goes back.
 */
@Injectable()
export class RedisClock {
  private offset = 0;
  private last = 0;

  /** `redisNow` was answered by Redis to a call that began and ended at these local times, ms. */
  observe(redisNow: number, began: number, ended: number): void {
    this.offset = redisNow - (began + ended) / 2;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    this.last = Math.max(this.last, Math.round(Date.now() + this.offset));
    return this.last;
  }
}
