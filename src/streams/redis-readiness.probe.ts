import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { ReadinessProbe } from '../health/readiness-probe.js';
import { Keys } from '../redis/keys.js';
import { RedisConnections } from '../redis/redis.connections.js';

const PATIENCE_MS = 3000;

/**
 * Ready means: an append to a stream works, and what is published comes back on the subscriber's
 * connection. Only doing both shows a Redis user without channel rights, who stores but never
 * announces, and a Redis that is full.
 */
@Injectable()
export class RedisReadinessProbe implements ReadinessProbe {
  private readonly id = randomUUID();

  constructor(
    private readonly redis: RedisConnections,
    private readonly keys: Keys,
  ) {}

  /** @throws Error with a text for the operator. */
  async probe(): Promise<void> {
    const { subscriber, reads } = this.redis;
    const key = this.keys.probe(this.id);
    const nonce = randomUUID();
    let timer: NodeJS.Timeout | undefined;
    let onMessage: ((channel: string, message: string) => void) | undefined;
    const heard = new Promise<void>((resolve, reject) => {
      onMessage = (channel, message) => {
        if (channel === key && message === nonce) resolve();
      };
      subscriber.onMessage(onMessage);
      timer = setTimeout(() => {
        // It answers and does not deliver: a node that has lost its Cluster, say. Another may do.
        subscriber.renew();
        reject(new Error('Redis did not deliver a published message within 3 s'));
      }, PATIENCE_MS);
    });
    heard.catch(() => undefined);
    try {
      const subscribed = subscriber.subscribe(key);
      subscribed.catch(() => undefined);
      await Promise.race([subscribed, heard]);
      await reads.xadd(key, 'MAXLEN', 1, '*', 'e', nonce);
      await reads.pexpire(key, 60_000);
      await reads.publish(key, nonce);
      await heard;
    } finally {
      clearTimeout(timer);
      if (onMessage !== undefined) subscriber.offMessage(onMessage);
    }
  }
}
