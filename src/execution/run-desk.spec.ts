import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Deed, Looked } from '../assistant/writes/write-desk.js';
import type { WritePlan } from '../assistant/writes/write-plan.js';
import { ScriptCode } from '../redis/script-code.js';
import type { RedisApprovalStore } from '../store/redis-approval.store.js';
import type { Outcome } from '../store/outcome.js';
import type { Effect, RedisEffectStore } from '../store/redis-effect.store.js';
import type { TaskKeys } from '../store/task-ref.js';
import { RunEffects } from './run-effects.js';
import { RunDesk, type RunDeskOptions } from './run-desk.js';

type Marked = Outcome<{ readonly before?: string }>;

const DONE: Deed = { outcome: 'done', text: 'it is there' };
const TRUST_MS = 50;

/** A store whose answers a test writes down; what was marked is kept. */
class FakeStore {
  readonly marks: string[] = [];
  readonly plans: unknown[] = [];
  answers: (() => Promise<Marked>)[] = [];
  outcome: string | undefined;

  mark = (_keys: TaskKeys, _by: object, effect: Effect) => {
    this.marks.push(`${effect.phase} ${effect.id}`);
    if (effect.plan !== undefined) this.plans.push(effect.plan);
    return (this.answers.shift() ?? (() => Promise.resolve<Marked>({ ok: true, value: {} })))();
  };

  outcomeOf = (): Promise<string | undefined> => Promise.resolve(this.outcome);
}

let store: FakeStore;
let act: ReturnType<typeof vi.fn<() => Promise<Deed>>>;
beforeEach(() => {
  store = new FakeStore();
  act = vi.fn(() => Promise.resolve(DONE));
});

function desk(over: Partial<RunDeskOptions> = {}): RunDesk {
  return new RunDesk({
    effects: new RunEffects(store as unknown as RedisEffectStore, {} as TaskKeys, {
      epoch: 1,
      owner: 'i1',
    }),
    approvals: {} as RedisApprovalStore,
    keys: {} as TaskKeys,
    epoch: 1,
    leg: 2,
    attempt: 1,
    signal: new AbortController().signal,
    trustMs: TRUST_MS,
    isFresh: () => true,
    flush: () => Promise.resolve(),
    note: () => undefined,
    onCancel: () => undefined,
    now: Date.now,
    ...over,
  });
}

function after(ms: number, answer: Marked): () => Promise<Marked> {
  return () => new Promise((resolve) => setTimeout(resolve, ms, answer));
}

describe('RunDesk', () => {
  it('should mark the intent, act, and mark the outcome, each write by an id of its own', async () => {
    const own = desk();
    expect(await own.once('a', act)).toEqual(DONE);
    await own.once('b', act);
    expect(store.marks).toEqual([
      'intent write-2-1',
      'outcome write-2-1',
      'intent write-2-2',
      'outcome write-2-2',
    ]);
    expect(own.deeds).toEqual([
      { text: 'a', outcome: 'done' },
      { text: 'b', outcome: 'done' },
    ]);
  });

  it.each([
    ['of a run that lost its task', ScriptCode.StaleEpoch],
    ['of a task that has ended', ScriptCode.Terminal],
  ])('should not act for the intent %s', async (_name, code) => {
    store.answers = [() => Promise.resolve({ ok: false, code })];
    await expect(desk().once('a', act)).rejects.toThrow(/lost its task/);
    expect(act).not.toHaveBeenCalled();
  });

  it('should not act once the task is canceled, and say so', async () => {
    const onCancel = vi.fn();
    store.answers = [() => Promise.resolve({ ok: false, code: ScriptCode.Canceled })];
    await expect(desk({ onCancel }).once('a', act)).rejects.toThrow(/canceled/);
    expect(onCancel).toHaveBeenCalledOnce();
    expect(act).not.toHaveBeenCalled();
  });

  it('should ask the fence again when the answer is old by the time it comes', async () => {
    // As a process sees it that was stopped in between: meanwhile somebody took the task over.
    store.answers = [
      after(TRUST_MS * 2, { ok: true, value: {} }),
      () => Promise.resolve({ ok: false, code: ScriptCode.StaleEpoch }),
    ];
    await expect(desk().once('a', act)).rejects.toThrow(/fenced/);
    expect(act).not.toHaveBeenCalled();
  });

  it('should not act while its instance may be taken for dead', async () => {
    let fresh = false;
    setTimeout(() => (fresh = true), 30);
    const isFresh = vi.fn(() => fresh);
    await desk({ isFresh, trustMs: 10_000 }).once('a', act);
    expect(isFresh.mock.results[0]?.value).toBe(false);
    expect(act).toHaveBeenCalledOnce();
    expect(store.marks.filter((mark) => mark.startsWith('intent')).length).toBeGreaterThan(1);
  });

  it('should do nothing again that an earlier attempt has done', async () => {
    store.answers = [() => Promise.resolve({ ok: true, value: { before: 'it was there' } })];
    expect(await desk().once('a', act)).toEqual({ outcome: 'before', text: 'it was there' });
    expect(act).not.toHaveBeenCalled();
    store.outcome = 'it was there';
    expect(await desk({ attempt: 2 }).recall()).toBe('it was there');
    expect(await desk({ attempt: 1 }).recall()).toBeUndefined();
  });

  it('should leave the intent open when nobody knows what became of it', async () => {
    const own = desk();
    const unknown: Deed = { outcome: 'unknown', text: 'who knows' };
    expect(await own.once('a', () => Promise.resolve(unknown))).toEqual(unknown);
    expect((await own.once('b', () => Promise.reject(new Error('bug')))).outcome).toBe('unknown');
    expect(store.marks).toEqual(['intent write-2-1', 'intent write-2-2']);
    expect(own.deeds.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
  });

  it('should record with the intent by what another instance can look for it', async () => {
    const plan = { tool: 'press', args: { button: 7 } };
    await desk().once('a', act, plan);
    expect(store.plans).toEqual([plan]);
  });

  describe('after a takeover', () => {
    const begun = ['a', 'b'].map((text, n) => ({
      ...{ id: `write-2-${n + 1}`, text },
      plan: { tool: 'press', args: { button: n } },
    }));

    it('should record what was seen to be done, and say of what nobody knows', async () => {
      const own = desk({ attempt: 2 });
      const look = vi.fn((_plans: readonly WritePlan[]) =>
        Promise.resolve<readonly Looked[]>([
          { outcome: 'done', text: 'a is there' },
          { outcome: 'unknown', text: 'no b' },
        ]),
      );
      expect(await own.lookBack(begun, look)).toEqual([{ text: 'b', seen: 'no b' }]);
      expect(look.mock.calls[0]?.[0]).toEqual(
        begun.map(({ plan, text }) => ({ ...plan, summary: text })),
      );
      expect(store.marks).toEqual(['outcome write-2-1']);
      expect(own.deeds).toEqual([
        { text: 'a', outcome: 'done' },
        { text: 'b', outcome: 'unknown' },
      ]);
    });

    it('should know nothing by a look that tells nothing', async () => {
      const open = await desk().lookBack(begun, () => Promise.resolve([]));
      expect(open).toEqual([{ text: 'a' }, { text: 'b' }]);
      expect(store.marks).toEqual([]);
    });

    it('should record nothing for a task that is another’s by now', async () => {
      store.answers = [() => Promise.resolve({ ok: false, code: ScriptCode.StaleEpoch })];
      const seen = { outcome: 'done', text: 'a is there' } as const;
      await expect(desk().lookBack(begun, () => Promise.resolve([seen]))).rejects.toThrow(
        /lost its task/,
      );
    });
  });

  it('should tell that too many wait, and that nobody decided in time: nothing is approved', async () => {
    const wish = { tool: 't', summary: 's', hash: 'h' };
    const keys = { ref: { tenant: 'acme', user: 'ann', taskId: 't', contextId: 'c' } } as TaskKeys;
    const asking = (approvals: object, now = 0) =>
      desk({ keys, now: () => now, approvals: approvals as RedisApprovalStore }).askOperator(
        wish,
        new AbortController().signal,
      );
    const full = () => Promise.resolve({ code: ScriptCode.TooManyApprovals });
    expect(await asking({ open: full })).toEqual({ decision: 'full' });
    const decided: unknown[] = [];
    const silent = {
      open: () => Promise.resolve({ expires: 5 }),
      stateOf: () => Promise.resolve(undefined),
      decide: (...said: unknown[]) => {
        decided.push(said.slice(2));
        return Promise.resolve({ ok: true, decision: 'expired', by: '' });
      },
    };
    expect(await asking(silent, 5)).toEqual({ decision: 'expired', by: '' });
    // It ends the request itself, so that no later word counts.
    expect(decided).toEqual([['expired', '']]);
  });
});
