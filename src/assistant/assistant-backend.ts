import type { TenantConfig } from '../config/config.types.js';
import type { JsonObject, JsonValue, Message } from '../domain/a2a.js';
import type { MuteRights } from '../domain/call-context.js';
import type { Whose } from '../domain/limit.js';
import type { Frame } from './frame.js';
import type { Looked, WriteDesk } from './writes/write-desk.js';
import type { WritePlan } from './writes/write-plan.js';

export type { Frame, ToolUse } from './frame.js';

/** One finished turn of a context, as the next turn sees it. */
export interface PastTurn {
  /** n9e's seq_id: 1, 2, 3… within the context. */
  readonly turn: number;
  readonly user: string;
  /** The answer's text, cut to a bound; what there was of it when the turn did not complete. */
  readonly assistant: string;
  /** False for a failed, canceled or rejected turn. */
  readonly complete: boolean;
  /** What the backend asked to have kept by a `memory` frame. */
  readonly memory?: JsonValue;
}

/** What a backend is asked to do. Plain data: another instance may run it after a takeover. */
export interface Turn {
  readonly tenant: string;
  readonly user: string;
  /** Of a user of n9e: nothing of any other busi group may be shown. */
  readonly busiGroups?: readonly number[];
  /** Of a user of n9e: where they may change mutes; absent: nowhere. */
  readonly mutes?: MuteRights;
  /** How many agents have called each other until here; absent: none. */
  readonly depth?: number;
  readonly taskId: string;
  readonly contextId: string;
  /** Of the request that asked for this; for log lines. */
  readonly requestId?: string;
  /** n9e's seq_id. */
  readonly turn: number;
  /** 1 for the first run of this turn, 2 after one takeover, … */
  readonly attempt: number;
  /** The user's message as it came, with its id and metadata. */
  readonly message: Message;
  /** The message's text parts, joined with newlines. */
  readonly text: string;
  /** Oldest first, bounded (design section 8). */
  readonly history: readonly PastTurn[];
  /** Set when this message answers a question that parked the task. */
  readonly answering?: {
    readonly question: string;
    readonly expects: 'approval' | 'text';
    /** What was put beside the question (see `input_required`). */
    readonly plan?: JsonObject;
  };
  /** A proposal was open in this context, and is void now: this message was no answer to it. */
  readonly drops?: true;
  /** Forces the language of the answer, e.g. `zh_CN` or `en`; absent: that of the message. */
  readonly lang?: string;
  /** IANA name; times are shown in it. Absent: UTC. */
  readonly timezone?: string;
  /** n9e's page and action_param, for backends that know them. */
  readonly page?: JsonValue;
  readonly actionParam?: JsonObject;
}

/** Whose allowance of the day is used up. */
export interface Shortage {
  readonly whose: Whose;
}

/** Counts what a turn uses, and says what of it is still allowed today. */
export interface Meter {
  /** Is told how many tokens of a model were used, whenever some more have been. */
  used(tokens: { readonly input: number; readonly output: number }): void;
  /**
   * Takes tokens of a model or calls of a tool out of today's allowances, before they are used.
   * @returns why they must not be used; undefined: they may.
   */
  take(what: 'llm' | 'tools', amount: number): Promise<Shortage | undefined>;
  /** What was taken turned out to be so much more, or less when below 0. */
  correct(what: 'llm' | 'tools', by: number): void;
}

/**
 * The one seam between Nightjar and whatever answers. An implementation knows no Redis and no
 * protocol. It MUST stop soon after `signal` aborts, and MUST be safe to run again from the start
 * when `readOnly` is true. A thrown error ends the task as FAILED with a fixed text; a text meant
 * for the user goes into a `fail` frame.
 */
export interface AssistantBackend {
  /**
   * False: a run may have changed something outside, so it is never repeated after a death. True also
   * for a backend that changes things through its desk only, which never does one twice.
   */
  readonly readOnly: boolean;
  /**
   * @param desk absent: nothing may be changed outside.
   * @param meter absent: nobody counts, and nothing is used up.
   */
  run(turn: Turn, signal: AbortSignal, desk?: WriteDesk, meter?: Meter): AsyncIterable<Frame>;
  /**
   * Looks, by reads only, what became of writes that an instance began and was gone before it knew;
   * one answer each. Absent: nobody can look, so the task fails with what may have been done.
   */
  lookBack?(
    turn: Turn,
    begun: readonly WritePlan[],
    signal: AbortSignal,
    desk?: WriteDesk,
  ): Promise<readonly Looked[]>;
}

/** Finds the backend of a tenant. */
export interface BackendRegistry {
  /** @throws Error when the tenant's config names a backend that could not be loaded. */
  backendOf(tenant: string): AssistantBackend;
  /**
   * These are the tenants from now on; what has not changed stays as it is. Runs that have begun go
   * on with what they began with.
   */
  replace(tenants: readonly TenantConfig[]): Promise<void>;
  /**
   * Cancels a task at one of the tenant's remote agents, which no run follows any more.
   * @throws Error when there is no such remote, or it could not be told, or takes no cancel.
   */
  cancelRemote(tenant: string, remote: string, taskId: string): Promise<void>;
}
export const BackendRegistry = Symbol('BackendRegistry');
