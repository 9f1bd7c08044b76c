import type { Frame } from '../frame.js';
import type { CallDesk } from '../remote/call-desk.js';
import type { BegunWrite } from './write-plan.js';

/** A turn's end that waits for its user. */
export type Asking = Extract<Frame, { kind: 'input_required' | 'auth_required' }>;

/** What became of one thing that was to be done outside. Texts are written for people. */
export type Deed =
  | {
      readonly outcome: 'done';
      readonly text: string;
      /** What was called wants to hear something before it goes on: the turn ends with that. */
      readonly asks?: Asking;
    }
  /** It was certainly not done. */
  | { readonly outcome: 'refused'; readonly text: string }
  /** What was called has ended by itself without success; what it did before is its own to tell. */
  | { readonly outcome: 'failed' | 'rejected'; readonly text: string }
  /** It may have been done. */
  | { readonly outcome: 'unknown'; readonly text: string }
  /** An earlier attempt at this turn has done (or was refused) its write; nothing was done now. */
  | { readonly outcome: 'before'; readonly text: string };

/** What was seen of a write that an instance had begun before it was gone. */
export type Looked =
  /** It was done: the text says so, to people. */
  | { readonly outcome: 'done'; readonly text: string }
  /** It may have been done, or may yet be; with a text, what was seen instead. */
  | { readonly outcome: 'unknown'; readonly text?: string };

export interface OperatorRequest {
  readonly tool: string;
  /** What is to be done, for the operator. */
  readonly summary: string;
  /** Hash of the plan: an approval holds for nothing else. */
  readonly hash: string;
}

export type OperatorAnswer =
  | { readonly decision: 'approved' | 'refused'; readonly by: string }
  /** Nobody decided in time, or too many requests of the tenant wait already. */
  | { readonly decision: 'expired' | 'full' };

/** A step of a write, for the audit: what was proposed, what was decided, what came of it. */
export interface WriteNote {
  readonly step: 'propose' | 'decide' | 'effect';
  /** `ok`, or why it goes no further. */
  readonly outcome: 'ok' | 'PERMISSION_DENIED' | 'REFUSED' | 'EXPIRED' | 'QUOTA' | 'UNKNOWN';
  /** Holds no text of a message. */
  readonly detail: string;
}

/**
 * Where a run changes something outside: fenced, so that a run that lost its task starts nothing, and
 * recorded, so that no attempt at the turn does a thing again (design 4.3.2). Implemented by the run.
 */
export interface WriteDesk {
  /** For calls of other agents and servers. */
  readonly calls: CallDesk;
  /**
   * Records the intent, acts, records the outcome. At most one deed is under way at a time.
   * @param text what will be done, for people: it is told should the instance die meanwhile.
   * @param act never throws for what can be expected; a throw counts as `unknown`.
   * @param plan by which the backend can look later what became of it (`AssistantBackend.lookBack`).
   * @throws when the fence says no: the task was canceled or belongs to another instance. Nothing was
   * done then.
   */
  once(text: string, act: () => Promise<Deed>, plan?: BegunWrite): Promise<Deed>;
  /** What an earlier attempt at this turn did in the place of the next write, if it did. */
  recall(): Promise<string | undefined>;
  /** Puts it into the tenant's audit, soon; never throws. */
  note(note: WriteNote): void;
  /** Asks the tenant's operators and waits, two minutes at most. */
  askOperator(request: OperatorRequest, signal: AbortSignal): Promise<OperatorAnswer>;
}
