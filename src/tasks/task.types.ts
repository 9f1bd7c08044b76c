import type { JsonObject, Message, Task, TaskStateName } from '../domain/a2a.js';
import type { EventId, TaskEvent } from '../domain/event.js';

/** A message to the assistant, already checked for shape by the protocol edge. */
export interface Submission {
  readonly message: Message;
  /** Metadata of the request around the message (lang, page, timezone, action_param). */
  readonly metadata?: JsonObject;
  /**
   * The caller's name for this very submission, 1 to 256 printable ASCII characters: sent again with
   * the same content, as long as tasks are kept, it joins the task of the first time.
   */
  readonly idempotencyKey?: string;
  /** A name of the request that waits for the task, by which `cancelOrigin` finds it. */
  readonly origin?: string;
}

/** The task that a submission made, continued or joined. */
export interface Submitted {
  readonly taskId: string;
  readonly contextId: string;
  readonly turn: number;
  /**
   * `created`: a stream starts with the log's first event (the SUBMITTED Task).
   * `continued`, `joined`: a stream starts like a subscription, with a Task snapshot.
   */
  readonly how: 'created' | 'continued' | 'joined';
}

/** Where a subscription starts. */
export type StartAt =
  /** The Task as of now, then every later event (spec 3.1.6). A terminal task is refused. */
  | { readonly from: 'snapshot' }
  /** The whole log from the SUBMITTED Task on. */
  | { readonly from: 'start' }
  /** Every event after this one (Last-Event-ID); on a terminal task too, then the end. */
  | { readonly from: 'after'; readonly id: EventId };

/**
 * A reader's stream. It ends after a settled event (terminal or parked). Ending the iteration, or
 * aborting the signal given to `subscribe`, ends the reader and never the run.
 */
export type TaskStream = AsyncIterable<TaskEvent | StreamHeartbeat>;

/** Repeats the current status after 30 s without an event: not stored, no id. */
export interface StreamHeartbeat {
  readonly id: undefined;
  readonly json: string;
  readonly settled: false;
}

export interface TaskQuery {
  readonly contextId?: string;
  readonly state?: TaskStateName;
  /** Milliseconds since the epoch: only tasks whose status changed at or after. */
  readonly changedSince?: number;
  /** 1 … listPageMax. */
  readonly pageSize: number;
  /** An earlier page's `nextPageToken`. */
  readonly pageToken?: string;
}

export interface TaskPage {
  /** Newest status first, then id descending; whole documents, the edge trims them. */
  readonly tasks: readonly Task[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
  /** Exact count of what the filter matches, over all pages. */
  readonly totalSize: number;
}
