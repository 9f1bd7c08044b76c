/** Where a conversation with a remote agent has come to, kept with our own context. */
export interface RemoteLink {
  /** The remote's name of the conversation. */
  readonly contextId: string;
  /** Its task whose question is open. */
  readonly taskId?: string;
}

/** What is known of a call before it is made. */
export interface CallPlan {
  /** Configured name of the agent or server. */
  readonly remote: string;
  /** What will be asked, for people. */
  readonly what: string;
  /** The same for the same question to the same tool. */
  readonly hash: string;
  /** It changes nothing: it is repeated rather than reported as unknown. */
  readonly readOnly: boolean;
}

/** What an earlier attempt at this turn has left of a call. */
export type Before =
  /** It had set a task in motion, which may be followed. */
  | {
      readonly kind: 'task';
      readonly what: string;
      readonly taskId: string;
      readonly isSame: boolean;
    }
  /** It had its answer. */
  | {
      readonly kind: 'answer';
      readonly what: string;
      readonly text: string;
      readonly isSame: boolean;
    };

/** One call that is under way, recorded so that no attempt at the turn makes it a second time. */
export interface OpenCall {
  /** Unique, and the same when the turn is run again. */
  readonly id: string;
  readonly before: Before | undefined;
  /** The remote has a task for it: whoever takes this turn over can follow that. */
  named(taskId: string): Promise<void>;
  /**
   * It is over.
   * @param outcome `refused`: certainly nothing was set in motion. `unknown`: nobody knows.
   * @param text the answer, kept for an attempt that comes after.
   */
  end(outcome: 'done' | 'refused' | 'unknown', text: string): Promise<void>;
}

/** Where a run records its calls of remote agents and servers. Implemented by the run. */
export interface CallDesk {
  /**
   * @throws when the fence says no: the task was canceled or belongs to another instance. Nothing
   * was sent then.
   */
  open(plan: CallPlan): Promise<OpenCall>;
  /** Of this context; undefined when there was none with that remote yet. */
  linkOf(remote: string): Promise<RemoteLink | undefined>;
  keepLink(remote: string, link: RemoteLink): Promise<void>;
}
