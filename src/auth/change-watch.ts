import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { CHANGE_KINDS, type ChangeKind, RedisChangeStore } from '../store/redis-change.store.js';

/** An instance knows of a change within this and the time of one answer. */
const LOOK_MS = 400;

/**
 * Notices what other instances and the CLI have changed: one small read every 400 ms, whatever the
 * number of tokens, tenants and streams. While Redis is away nothing changes; then it catches up.
 */
@Injectable()
export class ChangeWatch implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ChangeWatch.name);
  private readonly listeners = new Map<ChangeKind, (() => Promise<void>)[]>();
  private seen: readonly (string | null)[] | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking = false;

  constructor(private readonly changes: RedisChangeStore) {}

  /**
   * Calls `listener` soon after a change, and once at the start, since what was read before may be
   * older. A listener that rejects is called again at the next look.
   */
  on(kind: ChangeKind, listener: () => Promise<void>): void {
    this.listeners.set(kind, [...(this.listeners.get(kind) ?? []), listener]);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.look(), LOOK_MS);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    if (this.looking) return;
    this.looking = true;
    try {
      const now = await this.changes.read();
      const next = [...now];
      for (const [index, kind] of CHANGE_KINDS.entries()) {
        const known = this.seen?.[index];
        if (known === now[index]) continue;
        if (!(await this.tell(kind))) next[index] = known ?? null;
      }
      this.seen = next;
    } catch (error) {
      this.logger.debug({ msg: 'could not look for changes: Redis does not answer', err: error });
    } finally {
      this.looking = false;
    }
  }

  /** False when a listener has to be called again. */
  private async tell(kind: ChangeKind): Promise<boolean> {
    const calls = (this.listeners.get(kind) ?? []).map((listener) => listener());
    const failed = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected');
    for (const { reason } of failed as PromiseRejectedResult[]) {
      this.logger.warn({
        msg: `${kind} have changed, but could not be read`,
        err: reason as unknown,
      });
    }
    return failed.length === 0;
  }
}
