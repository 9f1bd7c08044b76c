import type { JsonObject } from './a2a.js';

/**
 * Where an event stands in its task's log. Identity is the pair: after a fail-over two different
 * events can carry one seq, never with one epoch (design invariant 5).
 */
export interface EventId {
  /** 1, 2, 3… within a task. */
  readonly seq: number;
  /** The run that wrote it; a takeover or a continuation counts it up. */
  readonly epoch: number;
}

export const LOG_START: EventId = { seq: 0, epoch: 0 };

export function formatEventId(id: EventId): string {
  return `${id.seq}-${id.epoch}`;
}

/** Undefined for anything but `<seq>-<epoch>`, both plain decimal numbers. */
export function parseEventId(text: string): EventId | undefined {
  const match = /^(\d{1,15})-(\d{1,15})$/.exec(text);
  if (match === null) return undefined;
  return { seq: Number(match[1]), epoch: Number(match[2]) };
}

/**
 * An event as a reader gets it: its place in the log and its ProtoJSON text (a StreamResponse),
 * which no one on the way needs to parse.
 */
export interface TaskEvent {
  readonly id: EventId;
  /** ProtoJSON of a StreamResponse, one line. */
  readonly json: string;
  /** The run is over with this event: terminal, or parked on a question to the user. */
  readonly settled: boolean;
}

/** Metadata of a task that binds it to n9e's terms (seed-behaviours N20). */
export interface TurnMetadata extends JsonObject {
  readonly 'n9e.chat_id': string;
  readonly 'n9e.seq_id': number;
}
