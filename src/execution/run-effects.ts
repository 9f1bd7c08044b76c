import type { EffectPhase, Outcome, RedisTaskStore } from '../store/redis-task.store.js';
import type { TaskKeys } from '../store/task-ref.js';

/** Something that is about to be, or was, changed outside. */
export interface Effect {
  readonly id: string;
  readonly phase: EffectPhase;
  /** For people, except where it links to something. */
  readonly text: string;
}

/**
 * The effects that a run has recorded, kept to be recorded again should Redis forget them in a
 * fail-over: a run whose intent is not known any more would be taken for one that may be repeated.
 */
export class RunEffects {
  private readonly last = new Map<string, Effect>();

  constructor(
    private readonly store: RedisTaskStore,
    private readonly keys: TaskKeys,
    private readonly epoch: number,
  ) {}

  /** See RedisTaskStore.markEffect. */
  async mark(effect: Effect): Promise<Outcome<{ readonly before?: string }>> {
    const result = await this.store.markEffect(this.keys, this.epoch, effect);
    if (result.ok && result.value.before === undefined) this.last.set(effect.id, effect);
    return result;
  }

  async markAgain(): Promise<void> {
    for (const effect of this.last.values()) {
      await this.store.markEffect(this.keys, this.epoch, effect);
    }
  }
}
