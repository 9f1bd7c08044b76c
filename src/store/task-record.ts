import type { StreamResponse, Task, TaskStateName } from '../domain/a2a.js';
import { type EventId, type TaskEvent, parseEventId } from '../domain/event.js';
import { TaskFold } from '../domain/fold.js';
import { isSettled, stateOf } from '../domain/task-state.js';
import type { ScriptReply } from '../redis/scripts.js';

/** What Redis keeps of a task besides its document. Times in ms since the epoch, by Redis. */
export interface TaskHead {
  readonly user: string;
  readonly contextId: string;
  readonly state: TaskStateName;
  readonly seq: number;
  readonly epoch: number;
  /** The instance that runs it; empty when none does. */
  readonly owner: string;
  readonly attempt: number;
  readonly deaths: number;
  /** Who asked for the end, when somebody did. */
  readonly cancel: string;
  readonly turn: number;
  readonly expects: '' | 'approval' | 'text';
  /** The frozen call (JSON of a `FrozenCall`). */
  readonly call: string;
  /** Writes outside whose outcome is not known. */
  readonly openEffects: number;
  readonly deadline: number;
  readonly updated: number;
}

/** A task's document as of `cursor`. */
export interface TaskRecord {
  readonly head: TaskHead;
  readonly fold: TaskFold;
  readonly task: Task;
  readonly cursor: EventId;
  /** `task` as ProtoJSON, where it is stored as it is: whoever only hands it on need not parse it. */
  readonly text?: string;
}

/** The fields in the order in which read-task answers them. */
export function parseHead(fields: readonly ScriptReply[]): TaskHead {
  const text = (index: number): string => String(fields[index] ?? '');
  const number = (index: number): number => Number(fields[index] ?? 0);
  return {
    user: text(0),
    contextId: text(1),
    state: stateOf(number(2)),
    seq: number(3),
    epoch: number(4),
    owner: text(5),
    attempt: number(6),
    cancel: text(7),
    turn: number(8),
    expects: text(9) as TaskHead['expects'],
    call: text(10),
    deaths: number(11),
    openEffects: number(12),
    deadline: number(13),
    updated: number(15),
  };
}

/** `[id, event, id, event, …]` of a script's answer. */
export function parseEntries(flat: readonly ScriptReply[]): { id: EventId; json: string }[] {
  const entries: { id: EventId; json: string }[] = [];
  for (let i = 0; i < flat.length; i += 2) {
    const id = parseEventId(String(flat[i]));
    if (id === undefined) throw new Error(`bug: a log entry has the id ${String(flat[i])}`);
    entries.push({ id, json: String(flat[i + 1]) });
  }
  return entries;
}

/** The events of a log as a reader gets them: the head of a settled task ends its stream. */
export function toTaskEvents(
  entries: readonly { id: EventId; json: string }[],
  head: { seq: number; state: TaskStateName },
): TaskEvent[] {
  const settled = isSettled(head.state);
  return entries.map(({ id, json }) => ({ id, json, settled: settled && id.seq === head.seq }));
}

/** `<seq>-<epoch>\n<Task JSON>`: a snapshot says what it covers, since it is read by a plain GET. */
export function formatSnapshot(cursor: EventId, task: Task): string {
  return `${cursor.seq}-${cursor.epoch}\n${JSON.stringify(task)}`;
}

/** Up to which event a stored snapshot goes. */
export function snapshotSeq(text: string): number {
  return Number(text.slice(0, text.indexOf('-')));
}

/**
 * The document from its snapshot and the events after it. The snapshot was read after the tail, so
 * it can be newer than the head that came with the tail; never older than where the tail starts.
 */
export function foldRecord(
  head: TaskHead,
  snapshot: string,
  tail: readonly { id: EventId; json: string }[],
): TaskRecord {
  const end = snapshot.indexOf('\n');
  const base = parseEventId(snapshot.slice(0, end));
  if (base === undefined) throw new Error('bug: a snapshot without its position');
  const text = snapshot.slice(end + 1);
  const later = tail.filter(({ id }) => id.seq > base.seq);
  if (later.length === 0 && base.seq <= head.seq) return new StoredRecord(head, base, text);
  const fold = new TaskFold(JSON.parse(text) as Task);
  for (const entry of later) fold.apply(JSON.parse(entry.json) as StreamResponse);
  const cursor = later.at(-1)?.id ?? base;
  const newer = cursor.seq > head.seq;
  const settledHead = newer ? { ...head, state: fold.status.state, seq: cursor.seq } : head;
  return { head: settledHead, fold, task: fold.task(), cursor };
}

/** A document that is its snapshot: parsed when somebody asks. */
class StoredRecord implements TaskRecord {
  private parsed: Task | undefined;
  private made: TaskFold | undefined;

  constructor(
    readonly head: TaskHead,
    readonly cursor: EventId,
    readonly text: string,
  ) {}

  get task(): Task {
    this.parsed ??= JSON.parse(this.text) as Task;
    return this.parsed;
  }

  get fold(): TaskFold {
    this.made ??= new TaskFold(this.task);
    return this.made;
  }
}
