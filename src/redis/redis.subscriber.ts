import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import { afterWaiting } from './limit-waiting.js';

/** Asking so often keeps a silent connection provably alive, or finds it dead. */
const PING_MS = 2000;
/** Who asks for a channel hears within this time that Redis does not confirm it. */
const PATIENCE_MS = 5000;
/** Channels of one SUBSCRIBE after a reconnect. */
const CHUNK = 500;
const PAUSE_MS = 100;

/**
 * The one connection of an instance that carries SUBSCRIBE and PING only. In a Cluster it is a plain
 * connection to any node, since classic pub/sub reaches all of them, and goes on to another node
 * when that one is gone: ioredis' own subscriber would do so without telling anybody (design 4.3.8).
 */
export class RedisSubscriber {
  private readonly channels = new Set<string>();
  private readonly events = new EventEmitter();
  private link: Redis;
  private closed = false;
  private seen = false;
  private readonly pinger: NodeJS.Timeout;

  /** @param open makes a connection; called again whenever one has ended for good. */
  constructor(private readonly open: () => Redis) {
    this.events.setMaxListeners(0);
    this.link = this.join();
    this.pinger = setInterval(() => {
      if (this.link.status === 'ready') this.link.ping().catch(() => undefined);
    }, PING_MS);
    this.pinger.unref();
  }

  /**
   * Resolves once Redis has confirmed the channel; it stays subscribed, over reconnects, until
   * `unsubscribe`.
   * @throws Error when it is not confirmed within 5 s.
   */
  async subscribe(channel: string): Promise<void> {
    this.channels.add(channel);
    const until = performance.now() + PATIENCE_MS;
    while (!(await this.confirms(channel))) {
      // The resubscribe after the next connect has it; then it is only asked for once more.
      await this.nextConnect(until - performance.now());
    }
  }

  async unsubscribe(channel: string): Promise<void> {
    this.channels.delete(channel);
    if (this.link.status === 'ready') await this.link.unsubscribe(channel);
  }

  onMessage(listener: (channel: string, message: string) => void): void {
    this.events.on('message', listener);
  }

  offMessage(listener: (channel: string, message: string) => void): void {
    this.events.off('message', listener);
  }

  /**
   * Called when, after a lost connection, every channel is confirmed again: from now on nothing is
   * missed, and what was missed before is in the logs.
   */
  onResubscribed(listener: () => void): void {
    this.events.on('resubscribed', listener);
  }

  /** Called whenever a connection was lost. */
  onLost(listener: () => void): void {
    this.events.on('lost', listener);
  }

  /** Gives the connection up for a new one: it answers, but what is published does not come. */
  renew(): void {
    this.link.disconnect(true);
  }

  close(): void {
    this.closed = true;
    clearInterval(this.pinger);
    this.link.disconnect();
  }

  private join(): Redis {
    const link = this.open();
    link.on('message', (channel: string, message: string) => {
      this.events.emit('message', channel, message);
    });
    link.on('ready', () => void this.resubscribe(link));
    link.on('close', () => {
      if (!this.closed) this.events.emit('lost');
    });
    link.on('end', () => {
      if (this.closed) return;
      setTimeout(() => {
        if (!this.closed) this.link = this.join();
      }, PAUSE_MS);
    });
    return link;
  }

  /** `ready` comes before a subscription is possible; only their answers say that all stand. */
  private async resubscribe(link: Redis): Promise<void> {
    const channels = [...this.channels];
    try {
      for (let at = 0; at < channels.length; at += CHUNK) {
        await link.subscribe(...channels.slice(at, at + CHUNK));
      }
    } catch {
      return;
    }
    // Given up meanwhile by a reader that left: nobody else would take it back.
    for (const channel of channels) if (!this.channels.has(channel)) void this.drop(link, channel);
    this.events.emit('connected');
    if (this.seen) this.events.emit('resubscribed');
    this.seen = true;
  }

  private async drop(link: Redis, channel: string): Promise<void> {
    await link.unsubscribe(channel).catch(() => undefined);
  }

  private async confirms(channel: string): Promise<boolean> {
    const { link } = this;
    if (link.status !== 'ready') return false;
    try {
      await link.subscribe(channel);
      return true;
    } catch {
      return false;
    }
  }

  private nextConnect(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const onConnected = (): void => {
        stop();
        resolve();
      };
      const stop = afterWaiting(Math.max(0, ms), () => {
        this.events.off('connected', onConnected);
        reject(new Error('Redis does not confirm a subscription'));
      });
      this.events.once('connected', onConnected);
    });
  }
}
