import { randomUUID } from 'node:crypto';
import type { Message, Part, StreamResponse, Task, TaskStateName } from '../../src/domain/a2a.js';
import type { CallContext } from '../../src/domain/call-context.js';
import { DomainError, taskNotFound } from '../../src/domain/errors.js';
import { TaskFold } from '../../src/domain/fold.js';
import { isSettled, isTerminal } from '../../src/domain/task-state.js';
import type { TaskService } from '../../src/tasks/task.service.js';
import type {
  StartAt,
  Submission,
  Submitted,
  TaskPage,
  TaskQuery,
  TaskStream,
} from '../../src/tasks/task.types.js';

/** What a scripted run may do; each call is one event of the task's log. */
export class FakeRun {
  readonly events: StreamResponse[] = [];
  readonly aborted = new AbortController();
  private readonly fold: TaskFold;
  private readonly watchers = new Set<() => void>();
  private artifacts = new Map<string, boolean>();

  constructor(
    readonly owner: string,
    task: Task,
    readonly submission: Submission,
  ) {
    this.fold = new TaskFold(task);
    this.events.push({ task });
  }

  get task(): Task {
    return this.fold.task();
  }

  get state(): TaskStateName {
    return this.fold.status.state;
  }

  step(text: string): void {
    this.status('TASK_STATE_WORKING', text);
  }

  content(text: string): void {
    this.append('1-answer', { text });
  }

  thought(text: string): void {
    this.append('1-thought-1', { text, metadata: { adk_thought: true } });
  }

  status(state: TaskStateName, text?: string): void {
    const { id, contextId } = this.fold;
    const message: Message | undefined =
      text === undefined
        ? undefined
        : { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }] };
    const status = {
      state,
      timestamp: new Date().toISOString(),
      ...(message === undefined ? {} : { message }),
    };
    this.emit({ statusUpdate: { taskId: id, contextId, status } });
  }

  emit(event: StreamResponse): void {
    if (isTerminal(this.state)) return;
    this.events.push(event);
    this.fold.apply(event);
    this.watchers.forEach((watcher) => {
      watcher();
    });
  }

  /** Resolves at the next event, or when the signal aborts. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.watchers.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      if (signal.aborted) {
        resolve();
        return;
      }
      this.watchers.add(done);
      signal.addEventListener('abort', done);
    });
  }

  private append(artifactId: string, part: Part): void {
    const { id, contextId } = this.fold;
    const append = this.artifacts.has(artifactId);
    this.artifacts.set(artifactId, true);
    this.emit({
      artifactUpdate: { taskId: id, contextId, artifact: { artifactId, parts: [part] }, append },
    });
  }
}

export type Script = (run: FakeRun, message: string) => Promise<void> | void;

/** What a protocol sees of TaskService. */
export type CoreApi = { [Operation in keyof TaskService]: TaskService[Operation] };

/** TaskService in the memory of the test, with the core's rules that MCP rests on. */
export class FakeTasks implements CoreApi {
  readonly runs = new Map<string, FakeRun>();
  readonly calls: string[] = [];
  /** Set to make the next submit fail. */
  refuse: Error | undefined;

  constructor(public script: Script) {}

  get last(): FakeRun {
    return [...this.runs.values()].at(-1)!;
  }

  submit(ctx: CallContext, submission: Submission): Promise<Submitted> {
    this.calls.push('submit');
    if (this.refuse !== undefined) return Promise.reject(this.refuse);
    const { message } = submission;
    const text = message.parts.map((part) => part.text).join('\n');
    if (message.taskId !== undefined) {
      const run = this.find(ctx, message.taskId);
      run.status('TASK_STATE_WORKING');
      void this.script(run, text);
      const { id: taskId, contextId } = run.task;
      return Promise.resolve({ taskId, contextId, turn: 1, how: 'continued' });
    }
    const contextId = message.contextId ?? randomUUID();
    const earlier = [...this.runs.values()].filter((run) => run.task.contextId === contextId);
    if (earlier.some((run) => !isSettled(run.state))) {
      return Promise.reject(new DomainError('CONTEXT_BUSY', 'This conversation is busy'));
    }
    const turn = earlier.length + 1;
    const task: Task = {
      id: randomUUID(),
      contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() },
      history: [message],
      metadata: { 'n9e.chat_id': contextId, 'n9e.seq_id': turn },
    };
    const run = new FakeRun(`${ctx.tenant}/${ctx.user}`, task, submission);
    this.runs.set(task.id, run);
    run.status('TASK_STATE_WORKING');
    void this.script(run, text);
    return Promise.resolve({ taskId: task.id, contextId, turn, how: 'created' });
  }

  get(ctx: CallContext, taskId: string): Promise<Task> {
    return Promise.resolve(this.find(ctx, taskId).task);
  }

  stored(ctx: CallContext, taskId: string): Promise<{ task: Task }> {
    return Promise.resolve({ task: this.find(ctx, taskId).task });
  }

  list(ctx: CallContext, query: TaskQuery): Promise<TaskPage> {
    this.calls.push('list');
    const tasks = [...this.runs.values()]
      .filter((run) => run.owner === `${ctx.tenant}/${ctx.user}`)
      .map((run) => run.task)
      .filter((task) => query.contextId === undefined || task.contextId === query.contextId)
      .reverse();
    const page = tasks.slice(0, query.pageSize);
    return Promise.resolve({ tasks: page, nextPageToken: '', totalSize: tasks.length });
  }

  cancel(ctx: CallContext, taskId: string): Promise<{ task: Task; again: boolean }> {
    this.calls.push('cancel');
    const run = this.find(ctx, taskId);
    if (isTerminal(run.state)) {
      return Promise.reject(new DomainError('TASK_NOT_CANCELABLE', 'The task has ended'));
    }
    run.aborted.abort();
    run.status('TASK_STATE_CANCELED', 'Canceled by its user');
    return Promise.resolve({ task: run.task, again: false });
  }

  subscribe(
    ctx: CallContext,
    taskId: string,
    start: StartAt,
    signal: AbortSignal,
  ): Promise<TaskStream> {
    this.calls.push(start.from === 'after' ? `subscribe after ${start.id.seq}` : 'subscribe');
    const run = this.find(ctx, taskId);
    if (start.from === 'snapshot' && isTerminal(run.state)) {
      return Promise.reject(new DomainError('UNSUPPORTED_OPERATION', 'The task has ended'));
    }
    return Promise.resolve(read(run, start, signal));
  }

  async waitSettled(
    ctx: CallContext,
    taskId: string,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Task> {
    const run = this.find(ctx, taskId);
    const caller = new AbortController();
    const leave = (): void => {
      caller.abort();
    };
    signal.addEventListener('abort', leave);
    if (signal.aborted) leave();
    const over = AbortSignal.any([caller.signal, AbortSignal.timeout(timeoutMs)]);
    while (!isSettled(run.state) && !over.aborted) await run.next(over);
    return run.task;
  }

  async cancelOrigin(ctx: CallContext, origin: string): Promise<void> {
    const running = [...this.runs.values()].filter(
      ({ state, submission }) => submission.origin === origin && !isSettled(state),
    );
    if (running.length === 1) await this.cancel(ctx, running[0]!.task.id);
  }

  private find(ctx: CallContext, taskId: string): FakeRun {
    const run = this.runs.get(taskId);
    if (run?.owner !== `${ctx.tenant}/${ctx.user}`) throw taskNotFound(taskId);
    return run;
  }
}

async function* read(run: FakeRun, start: StartAt, signal: AbortSignal): TaskStream {
  let at = start.from === 'start' ? 0 : start.from === 'after' ? start.id.seq : run.events.length;
  if (start.from === 'snapshot') yield event(run, at, { task: run.task });
  while (!signal.aborted) {
    const next = run.events[at];
    if (next === undefined) {
      if (isSettled(run.state)) return;
      await run.next(signal);
      continue;
    }
    at += 1;
    yield event(run, at, next);
  }
}

function event(
  run: FakeRun,
  seq: number,
  response: StreamResponse,
): { id: { seq: number; epoch: number }; json: string; settled: boolean } {
  return { id: { seq, epoch: 1 }, json: JSON.stringify(response), settled: isSettled(run.state) };
}
