import type {
  Artifact,
  Message,
  Part,
  StreamResponse,
  Task,
  TaskArtifactUpdate,
  TaskStatusUpdate,
} from './a2a.js';
import { isInterrupted } from './task-state.js';

/**
 * A task as it grows: events are folded in one by one, and `task()` is the task as of the last of
 * them. fold(snapshot + tail) = fold(whole log) (design invariant 5) because the same code makes
 * the snapshot and reads it back. Text is kept in pieces and joined only when asked, so that a
 * delta costs no more on a long answer than on a short one.
 */
export class TaskFold {
  private readonly artifacts = new Map<string, OpenArtifact>();
  private history: Message[];
  private base: Task;

  constructor(task: Task) {
    this.base = task;
    this.history = [...(task.history ?? [])];
    this.loadArtifacts(task);
  }

  /** The state of the newest status. */
  get status(): Task['status'] {
    return this.base.status;
  }

  get id(): string {
    return this.base.id;
  }

  get contextId(): string {
    return this.base.contextId;
  }

  artifactIds(): readonly string[] {
    return [...this.artifacts.keys()];
  }

  apply(event: StreamResponse): void {
    if ('task' in event) {
      this.base = event.task;
      this.history = [...(event.task.history ?? [])];
      this.artifacts.clear();
      this.loadArtifacts(event.task);
    } else if ('statusUpdate' in event) {
      this.applyStatus(event.statusUpdate);
    } else {
      this.applyArtifact(event.artifactUpdate);
    }
  }

  /** A new document each time; adjacent text parts of an artifact are merged. */
  task(): Task {
    const artifacts = [...this.artifacts.values()].map((artifact) => artifact.close());
    return {
      ...this.bare(),
      ...(artifacts.length > 0 ? { artifacts } : {}),
      ...(this.history.length > 0 ? { history: [...this.history] } : {}),
    };
  }

  /** Without what is kept apart while it grows. */
  private bare(): Omit<Task, 'artifacts' | 'history'> {
    const { artifacts, history, ...rest } = this.base;
    return rest;
  }

  private loadArtifacts(task: Task): void {
    for (const artifact of task.artifacts ?? []) {
      this.artifacts.set(artifact.artifactId, new OpenArtifact(artifact));
    }
  }

  /** Only a question to the user is conversation; step texts are progress and leave no trace. */
  private applyStatus(update: TaskStatusUpdate): void {
    const metadata = update.metadata
      ? { ...this.base.metadata, ...update.metadata }
      : this.base.metadata;
    this.base = {
      ...this.base,
      status: update.status,
      ...(metadata ? { metadata } : {}),
    };
    const question = update.status.message;
    if (question !== undefined && isInterrupted(update.status.state)) this.history.push(question);
  }

  private applyArtifact(update: TaskArtifactUpdate): void {
    const known = this.artifacts.get(update.artifact.artifactId);
    if (known === undefined || update.append !== true) {
      this.artifacts.set(update.artifact.artifactId, new OpenArtifact(update.artifact));
    } else {
      known.append(update.artifact);
    }
  }
}

class OpenArtifact {
  private readonly parts: Part[] = [];
  private head: Artifact;
  /** Pieces of the text part that is still growing; its metadata and type are `textShell`. */
  private text: string[] = [];
  private textShell: Part | undefined;

  constructor(artifact: Artifact) {
    this.head = artifact;
    artifact.parts.forEach((part) => {
      this.add(part);
    });
  }

  append(update: Artifact): void {
    if (update.metadata !== undefined) {
      this.head = { ...this.head, metadata: { ...this.head.metadata, ...update.metadata } };
    }
    update.parts.forEach((part) => {
      this.add(part);
    });
  }

  close(): Artifact {
    this.closeText();
    return { ...this.head, parts: [...this.parts] };
  }

  private add(part: Part): void {
    if (part.text === undefined) {
      this.closeText();
      this.parts.push(part);
      return;
    }
    if (this.textShell === undefined || !sameShell(this.textShell, part)) {
      this.closeText();
      this.textShell = part;
    }
    this.text.push(part.text);
  }

  private closeText(): void {
    if (this.textShell === undefined) return;
    const last = this.parts.at(-1);
    const text = this.text.join('');
    if (last?.text !== undefined && sameShell(last, this.textShell)) {
      this.parts[this.parts.length - 1] = { ...last, text: last.text + text };
    } else {
      this.parts.push({ ...this.textShell, text });
    }
    this.text = [];
    this.textShell = undefined;
  }
}

/** Two text parts may be merged when nothing but their text differs. */
function sameShell(a: Part, b: Part): boolean {
  return (
    a.mediaType === b.mediaType &&
    a.filename === b.filename &&
    (a.metadata === b.metadata || JSON.stringify(a.metadata) === JSON.stringify(b.metadata))
  );
}

/** The task after all of `events`, the first of which must be a Task. */
export function foldEvents(events: readonly StreamResponse[]): Task {
  const first = events[0];
  if (first === undefined || !('task' in first)) throw new Error('bug: a log starts with a Task');
  const fold = new TaskFold(first.task);
  events.slice(1).forEach((event) => {
    fold.apply(event);
  });
  return fold.task();
}
