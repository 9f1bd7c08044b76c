import { z } from 'zod';
import type {
  Before,
  CallDesk,
  CallPlan,
  OpenCall,
  RemoteLink,
} from '../assistant/remote/call-desk.js';
import { resend } from '../redis/redis-errors.js';
import { ScriptCode } from '../redis/script-code.js';
import type { RedisEffectStore } from '../store/redis-effect.store.js';
import type { TaskKeys } from '../store/task-ref.js';
import { RunLostError } from '../streams/run-lost-error.js';
import type { RunEffects } from './run-effects.js';

const PATIENCE_MS = 10_000;
/** Of an answer that is recorded: it lies in the task's own hash. */
const MOST_TEXT = 32 * 1024;

/** What was done outside, or may have been. */
export interface Done {
  readonly text: string;
  outcome: 'done' | 'unknown';
}

export interface RunCallsOptions {
  readonly effects: RunEffects;
  readonly leg: number;
  readonly attempt: number;
  /** Records an intent behind the fence. @throws when the run may not act any more. */
  readonly intend: (id: string, text: string) => Promise<unknown>;
  /** Told what is under way and what became of it. */
  readonly deeds: Done[];
  /** The run is not settled before this has ended. */
  readonly hold: (work: Promise<unknown>) => void;
}

const record = z.object({
  /** Configured name; absent in what older versions have recorded. */
  remote: z.string().optional(),
  what: z.string(),
  hash: z.string(),
  readOnly: z.boolean(),
  taskId: z.string().optional(),
  text: z.string().optional(),
  /** Certainly nothing was set in motion: it may be done again. */
  refused: z.boolean().optional(),
});
type CallRecord = z.infer<typeof record>;

const link = z.object({ contextId: z.string(), taskId: z.string().optional() });

/** A task at a remote agent. */
export interface RemoteTask {
  readonly remote: string;
  readonly taskId: string;
}

/** The prefix of the ids of what a leg of a task has called. */
function idsOf(leg: number): string {
  return `call-${leg}-`;
}

/** The tasks at remotes that one leg of a task has set in motion, ended or not. */
export async function remoteTasksOf(
  store: Pick<RedisEffectStore, 'recorded'>,
  keys: TaskKeys,
  leg: number,
): Promise<readonly RemoteTask[]> {
  const effects = await resend(() => store.recorded(keys, idsOf(leg)), { forMs: PATIENCE_MS });
  return effects.flatMap(({ phase, text }) =>
    phase === 'link' ? remoteTaskOf(record.parse(JSON.parse(text))) : [],
  );
}

function remoteTaskOf({ remote, taskId }: CallRecord): readonly RemoteTask[] {
  return remote === undefined || taskId === undefined ? [] : [{ remote, taskId }];
}

interface Earlier {
  readonly id: string;
  readonly record: CallRecord;
  used: boolean;
}

/**
 * The calls of remote agents and servers of one run. Each is recorded, so that another attempt at
 * the turn follows the remote's task, or takes its answer, instead of asking again; what may have
 * changed something is recorded before it is sent, behind the fence.
 */
export class RunCalls implements CallDesk {
  private earlier: Promise<Earlier[]> | undefined;
  private count = 0;

  constructor(private readonly options: RunCallsOptions) {}

  async open(plan: CallPlan): Promise<OpenCall> {
    const earlier = await (this.earlier ??= this.load());
    const found = match(earlier, plan);
    if (found !== undefined) {
      found.used = true;
      return this.under(found.id, plan, beforeOf(found.record, plan));
    }
    this.count += 1;
    const id = this.id(this.count);
    if (plan.readOnly) return this.under(id, plan, undefined);
    await this.options.intend(id, plan.what);
    return this.under(id, plan, undefined);
  }

  /** What an earlier attempt at this turn has set in motion and this one did not take up. */
  async abandoned(): Promise<readonly RemoteTask[]> {
    const earlier = await (this.earlier ??= this.load());
    return earlier.filter(({ used }) => !used).flatMap((one) => remoteTaskOf(one.record));
  }

  async linkOf(remote: string): Promise<RemoteLink | undefined> {
    const { effects } = this.options;
    const text = await resend(() => effects.linkOf(remote), { forMs: PATIENCE_MS });
    if (text === undefined) return undefined;
    const { contextId, taskId } = link.parse(JSON.parse(text));
    return taskId === undefined ? { contextId } : { contextId, taskId };
  }

  async keepLink(remote: string, kept: RemoteLink): Promise<void> {
    const { effects } = this.options;
    const text = JSON.stringify(kept);
    const code = await resend(() => effects.keepLink(remote, text), { forMs: PATIENCE_MS });
    if (code === ScriptCode.StaleEpoch) throw new RunLostError('fenced');
  }

  private under(id: string, plan: CallPlan, before: Before | undefined): OpenCall {
    const { deeds, hold } = this.options;
    const { remote, what, hash, readOnly } = plan;
    const deed: Done | undefined = readOnly ? undefined : { text: what, outcome: 'unknown' };
    let over = (): void => undefined;
    if (deed !== undefined) {
      deeds.push(deed);
      hold(
        new Promise<void>((resolve) => {
          over = resolve;
        }),
      );
    }
    let hasTask = before?.kind === 'task';
    return {
      id,
      before,
      named: async (taskId) => {
        hasTask = true;
        await this.mark(id, 'link', { remote, what, hash, readOnly, taskId });
      },
      end: async (outcome, text) => {
        try {
          if (deed === undefined) return;
          if (outcome === 'done') deed.outcome = 'done';
          if (outcome === 'refused') deeds.splice(deeds.indexOf(deed), 1);
          // A task at the remote tells by itself what became of it, and has its files as well.
          if (hasTask || outcome === 'unknown' || before !== undefined) return;
          const kept = text.slice(0, MOST_TEXT);
          const refused = outcome === 'refused' ? { refused: true } : {};
          await this.mark(id, 'outcome', {
            remote,
            what,
            hash,
            readOnly,
            text: kept,
            ...refused,
          }).catch(() => undefined);
        } finally {
          over();
        }
      },
    };
  }

  private async mark(id: string, phase: 'link' | 'outcome', content: CallRecord): Promise<void> {
    const { effects } = this.options;
    const text = JSON.stringify(content);
    const marked = await resend(() => effects.mark({ id, phase, text }), { forMs: PATIENCE_MS });
    if (!marked.ok && marked.code === ScriptCode.StaleEpoch) throw new RunLostError('fenced');
  }

  /** The former owner is fenced: what it has not recorded by now, it never will. */
  private async load(): Promise<Earlier[]> {
    const { effects, attempt, leg } = this.options;
    if (attempt === 1) return [];
    const recorded = await resend(() => effects.recorded(idsOf(leg)), { forMs: PATIENCE_MS });
    const numbered = recorded
      .map(({ id, phase, text }) => ({ id, phase, text, number: Number(id.split('-').at(-1)) }))
      .sort((a, b) => a.number - b.number);
    this.count = Math.max(0, ...numbered.map(({ number }) => number));
    return numbered.flatMap(({ id, phase, text }) => {
      if (phase === 'intent') return [];
      const parsed = record.parse(JSON.parse(text));
      return parsed.refused === true ? [] : [{ id, record: parsed, used: false }];
    });
  }

  private id(count: number): string {
    return `${idsOf(this.options.leg)}${count}`;
  }
}

/**
 * The same question, else the first of a kind that may have changed something: a model that asks in
 * other words must not have it done twice.
 */
function match(earlier: readonly Earlier[], plan: CallPlan): Earlier | undefined {
  const same = earlier.find((one) => one.record.hash === plan.hash);
  if (same !== undefined || plan.readOnly) return same;
  return earlier.find((one) => !one.record.readOnly);
}

function beforeOf({ what, hash, taskId, text = '' }: CallRecord, plan: CallPlan): Before {
  const isSame = hash === plan.hash;
  return taskId === undefined
    ? { kind: 'answer', what, text, isSame }
    : { kind: 'task', what, taskId, isSame };
}
