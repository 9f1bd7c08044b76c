import type { Outcome } from '../store/outcome.js';
import type { Effect, EffectOwner, RedisEffectStore } from '../store/redis-effect.store.js';
import type { TaskKeys } from '../store/task-ref.js';

/**
 * The effects that a run has recorded, kept to be recorded again should Redis forget them in a
 * fail-over: a run whose intent is not known any more would be taken for one that may be repeated.
 */
export class RunEffects {
  private readonly last = new Map<string, Effect>();

  constructor(
    private readonly store: RedisEffectStore,
    private readonly keys: TaskKeys,
    private readonly by: EffectOwner,
  ) {}

  /** See RedisEffectStore.mark. */
  async mark(effect: Effect): Promise<Outcome<{ readonly before?: string }>> {
    const result = await this.store.mark(this.keys, this.by, effect);
    if (result.ok && result.value.before === undefined) this.last.set(effect.id, effect);
    return result;
  }

  async markAgain(): Promise<void> {
    for (const effect of this.last.values()) await this.store.mark(this.keys, this.by, effect);
  }

  /** See RedisEffectStore.outcomeOf. */
  outcomeOf(id: string): Promise<string | undefined> {
    return this.store.outcomeOf(this.keys, id);
  }

  /** See RedisEffectStore.recorded. */
  recorded(prefix: string): Promise<readonly Effect[]> {
    return this.store.recorded(this.keys, prefix);
  }

  /** See RedisEffectStore.linkOf. */
  linkOf(remote: string): Promise<string | undefined> {
    return this.store.linkOf(this.keys, remote);
  }

  /** See RedisEffectStore.keepLink. */
  keepLink(remote: string, link: string): Promise<number | undefined> {
    return this.store.keepLink(this.keys, this.by.epoch, remote, link);
  }
}
