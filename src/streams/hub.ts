import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { unavailable } from '../domain/errors.js';
import { type EventId, LOG_START } from '../domain/event.js';
import { metrics } from '../metrics/metrics.js';
import { Keys } from '../redis/keys.js';
import { afterWaiting } from '../redis/limit-waiting.js';
import { RedisClock } from '../redis/redis.clock.js';
import { RedisConnections } from '../redis/redis.connections.js';
import { RedisTaskReader } from '../store/redis-task.reader.js';
import type { TaskRecord } from '../store/task-record.js';
import { Gate } from './gate.js';
import { type Announcement, LogReader } from './log-reader.js';

/** Pub/sub is at most once: a lost last message has no successor, so silence is looked into. */
const STALL_CHECK_MS = 5000;
/** A caller waits so long for its subscription before it hears that Redis is away. */
const CONFIRM_MS = 3000;

interface Topic {
  readonly tenant: string;
  readonly taskId: string;
  readonly channel: string;
  readonly readers: Set<LogReader>;
  /** Resolves once Redis has confirmed the subscription. */
  readonly subscribed: Promise<unknown>;
  /** A read that has not begun yet: whoever comes now may share it. */
  nextSnapshot: Promise<TaskRecord | undefined> | undefined;
}

/**
 * The read side: one Redis subscription an instance, one channel a watched task however many
 * readers it has here, and a `LogReader` for each. The order is the invariant: the channel is
 * confirmed, then the log is read, then the reader goes live.
 */
@Injectable()
export class StreamHub implements OnModuleInit, OnApplicationShutdown {
  private readonly topics = new Map<string, Topic>();
  private stallTimer: NodeJS.Timeout | undefined;
  private readonly snapshotReads = new Gate(8);
  private closing = false;

  constructor(
    @Inject(RedisConnections) private readonly redis: RedisConnections,
    private readonly keys: Keys,
    private readonly store: RedisTaskReader,
    private readonly clock: RedisClock,
  ) {}

  onModuleInit(): void {
    const { subscriber } = this.redis;
    subscriber.onMessage((channel, message) => {
      const topic = this.topics.get(channel);
      if (topic === undefined) return;
      const announcement = parseAnnouncement(message);
      for (const reader of [...topic.readers]) reader.announce(announcement);
      // Absent: published by an older gateway, during an update.
      if (announcement.at !== undefined) {
        metrics.hubLagSeconds.observe(Math.max(0, this.clock.now() - announcement.at) / 1000);
      }
    });
    // Not sooner: only once the channels are confirmed does a read of the log leave nothing out.
    subscriber.onResubscribed(() => {
      this.rereadAll();
    });
    this.stallTimer = setInterval(() => void this.checkStalls(), STALL_CHECK_MS);
    this.stallTimer.unref();
  }

  /** Not earlier: live runs and streams go on until the drain time is over. */
  onApplicationShutdown(): void {
    clearInterval(this.stallTimer);
    this.closeAll();
  }

  /**
   * A reader that has everything up to now in its queue.
   * @param user who must own the task; empty for the gateway itself.
   * @returns undefined when there is no such task for this user.
   * @throws DomainError UNAVAILABLE.
   */
  async open(
    tenant: string,
    user: string,
    taskId: string,
    start: 'snapshot' | 'start' | EventId,
  ): Promise<LogReader | undefined> {
    if (this.closing) throw unavailable('This instance is shutting down; try again');
    const topic = this.join(tenant, taskId);
    const reader: LogReader = new LogReader(
      {
        snapshot: () => this.snapshotOf(topic, user),
        after: (cursor) => this.store.readLog(tenant, user, taskId, cursor),
      },
      () => {
        this.leave(topic, reader);
      },
    );
    topic.readers.add(reader);
    try {
      await confirmed(topic);
      const found = await reader.begin(start === 'start' ? LOG_START : start);
      if (found === 'ok') return reader;
    } catch (error) {
      reader.close();
      throw error;
    }
    reader.close();
    return undefined;
  }

  /** True once the instance has given its readers up. */
  get isClosing(): boolean {
    return this.closing;
  }

  /** Ends every reader of this instance, for good: clients go on elsewhere. */
  closeAll(): void {
    this.closing = true;
    for (const topic of this.topics.values()) {
      for (const reader of [...topic.readers]) reader.close();
    }
  }

  private join(tenant: string, taskId: string): Topic {
    const channel = this.keys.channel(tenant, taskId);
    const known = this.topics.get(channel);
    if (known !== undefined) return known;
    const topic: Topic = {
      tenant,
      taskId,
      channel,
      readers: new Set(),
      subscribed: this.redis.subscriber.subscribe(channel),
      nextSnapshot: undefined,
    };
    // The joiners await it; without any, its failure is nobody's.
    topic.subscribed.catch(() => undefined);
    this.topics.set(channel, topic);
    return topic;
  }

  private leave(topic: Topic, reader: LogReader): void {
    topic.readers.delete(reader);
    if (topic.readers.size > 0 || this.topics.get(topic.channel) !== topic) return;
    this.topics.delete(topic.channel);
    this.redis.subscriber.unsubscribe(topic.channel).catch(() => undefined);
  }

  /**
   * Reads of one task are shared, and few run at once: two hundred clients that open a 1 MiB task
   * at once must not delay the reads of all others. Only a read that has not begun is shared, since
   * an earlier one may miss what this reader's subscription would not tell either.
   */
  private async snapshotOf(topic: Topic, user: string): Promise<TaskRecord | undefined> {
    topic.nextSnapshot ??= this.queueSnapshot(topic);
    const record = await topic.nextSnapshot;
    return record !== undefined && (user === '' || record.head.user === user) ? record : undefined;
  }

  private queueSnapshot(topic: Topic): Promise<TaskRecord | undefined> {
    return this.snapshotReads.run(async () => {
      // Whoever comes in this turn of the event loop may still share the read; nobody after it.
      await Promise.resolve();
      topic.nextSnapshot = undefined;
      return this.store.read(topic.tenant, '', topic.taskId);
    });
  }

  private rereadAll(): void {
    for (const topic of this.topics.values()) {
      for (const reader of topic.readers) reader.reread();
    }
  }

  private async checkStalls(): Promise<void> {
    const silent = [...this.topics.values()].filter((topic) =>
      [...topic.readers].some((reader) => performance.now() - reader.heardAt >= STALL_CHECK_MS),
    );
    if (silent.length === 0) return;
    const heads = await this.store.heads(silent).catch(() => undefined);
    heads?.forEach((head, index) => {
      for (const reader of silent[index]?.readers ?? []) {
        const at = reader.position;
        if (head?.seq !== at.seq || head.epoch !== at.epoch) reader.reread();
      }
    });
  }
}

/** @throws DomainError UNAVAILABLE: without a connection a subscription waits for one, not for ever here. */
async function confirmed(topic: Topic): Promise<void> {
  let stop = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    stop = afterWaiting(CONFIRM_MS, () => {
      reject(new Error('the subscription is not confirmed'));
    });
  });
  try {
    await Promise.race([topic.subscribed, late]);
  } catch (error) {
    throw unavailable('The task store does not answer', error);
  } finally {
    stop();
  }
}

function parseAnnouncement(message: string): Announcement {
  const lines = message.split('\n');
  const [base, epoch, flags, at] = (lines[0] ?? '').split(' ');
  return {
    base: Number(base),
    epoch: Number(epoch),
    settled: flags === 's',
    ...(at === undefined ? {} : { at: Number(at) }),
    lines: lines.slice(1),
  };
}
