import { randomUUID } from 'node:crypto';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { GatewayConfig, TenantConfig } from '../../src/config/config.types.js';
import { DEFAULT_LIMITS } from '../../src/config/limits.js';
import type { Artifact, StreamResponse, Task, TaskStateName } from '../../src/domain/a2a.js';
import type { CallContext } from '../../src/domain/call-context.js';
import { DomainError, taskNotFound } from '../../src/domain/errors.js';
import type { TaskEvent } from '../../src/domain/event.js';
import { TaskFold } from '../../src/domain/fold.js';
import { isSettled, isTerminal } from '../../src/domain/task-state.js';
import { StreamRegistry } from '../../src/protocols/sse/stream-registry.js';
import type { PushConfigService } from '../../src/tasks/push-config.service.js';
import type {
  StartAt,
  StreamHeartbeat,
  Submission,
  Submitted,
  TaskPage,
  TaskQuery,
  TaskStream,
} from '../../src/tasks/task.types.js';
import { tenant } from '../support/core.js';
import { cutConnections, startSurfaces } from './surface-harness.js';
import { gatewayConfig } from '../support/gateway-config.js';

export function tenantConfig(
  id: string,
  limits: Partial<TenantConfig['limits']> = {},
): TenantConfig {
  return tenant(id, { limits: { ...DEFAULT_LIMITS, ...limits } });
}

/** The configuration of `startA2aApp`: a blocking call lasts a second at most. */
export function a2aConfig(overrides: Partial<GatewayConfig> = {}): GatewayConfig {
  const { execution, ...defaults } = gatewayConfig();
  return {
    ...defaults,
    management: { ...defaults.management, port: 0, probesOnMain: true },
    execution: { ...execution, maxBlockingSeconds: 1 },
    log: { level: 'silent' },
    tenants: [tenantConfig('acme'), tenantConfig('evil')],
    ...overrides,
  };
}

interface Held {
  readonly owner: string;
  readonly fold: TaskFold;
  readonly events: TaskEvent[];
  readonly wake: Set<() => void>;
}

/**
 * The core in memory, with the contract of TaskService. What a task does is the text of its message:
 * `hello` answers in two deltas, `slow` works until released or canceled, `ask` parks, `files`
 * makes one artifact of each part kind, `boom` breaks inside. `refuse` makes submit throw.
 */
export class FakeTasks {
  readonly tasks = new Map<string, Held>();
  readonly submissions: { ctx: CallContext; submission: Submission }[] = [];
  readonly queries: TaskQuery[] = [];
  refuse: Error | undefined;
  /** Streams that are being read now. */
  readers = 0;
  /** Events that readers have taken. */
  taken = 0;

  submit(ctx: CallContext, submission: Submission): Promise<Submitted> {
    this.submissions.push({ ctx, submission });
    if (this.refuse !== undefined) return Promise.reject(this.refuse);
    const { message } = submission;
    const text = message.parts.map((part) => part.text ?? '').join('\n');
    const known = message.taskId === undefined ? undefined : this.find(ctx, message.taskId);
    if (known !== undefined) return Promise.resolve(this.resume(known, text));
    const contextId = message.contextId ?? randomUUID();
    const id = randomUUID();
    const task: Task = {
      id,
      contextId,
      status: statusOf('TASK_STATE_SUBMITTED'),
      history: [message],
      metadata: { 'n9e.chat_id': contextId, 'n9e.seq_id': 1 },
    };
    const held: Held = {
      owner: ownerOf(ctx),
      fold: new TaskFold(task),
      events: [],
      wake: new Set(),
    };
    this.tasks.set(id, held);
    this.add(held, { task }, true);
    this.run(held, text);
    return Promise.resolve({ taskId: id, contextId, turn: 1, how: 'created' });
  }

  async stored(ctx: CallContext, taskId: string): Promise<{ task: Task; text: string }> {
    const task = await this.get(ctx, taskId);
    return { task, text: JSON.stringify(task) };
  }

  async get(ctx: CallContext, taskId: string): Promise<Task> {
    await Promise.resolve();
    return this.find(ctx, taskId).fold.task();
  }

  async list(ctx: CallContext, query: TaskQuery, shown: (task: Task) => Task): Promise<TaskPage> {
    await Promise.resolve();
    this.queries.push(query);
    const mine = [...this.tasks.values()].filter((held) => held.owner === ownerOf(ctx));
    return {
      tasks: mine.map((held) => shown(held.fold.task())),
      nextPageToken: '',
      totalSize: mine.length,
    };
  }

  cancelOrigin(): Promise<void> {
    return Promise.resolve();
  }

  async cancel(ctx: CallContext, taskId: string): Promise<{ task: Task; again: boolean }> {
    await Promise.resolve();
    const held = this.find(ctx, taskId);
    const { state } = held.fold.status;
    if (state === 'TASK_STATE_CANCELED') return { task: held.fold.task(), again: true };
    if (isTerminal(state)) throw new DomainError('TASK_NOT_CANCELABLE', 'The task is over');
    this.status(held, 'TASK_STATE_CANCELED');
    return { task: held.fold.task(), again: false };
  }

  async subscribe(
    ctx: CallContext,
    taskId: string,
    start: StartAt,
    signal: AbortSignal,
  ): Promise<TaskStream> {
    await Promise.resolve();
    const held = this.find(ctx, taskId);
    if (start.from === 'snapshot' && isTerminal(held.fold.status.state)) {
      throw new DomainError('UNSUPPORTED_OPERATION', 'The task is over');
    }
    return this.read(held, start, signal);
  }

  async waitSettled(
    ctx: CallContext,
    taskId: string,
    options: { timeoutMs: number; signal: AbortSignal },
  ): Promise<Task> {
    const held = this.find(ctx, taskId);
    const deadline = performance.now() + options.timeoutMs;
    while (
      !isSettled(held.fold.status.state) &&
      performance.now() < deadline &&
      !options.signal.aborted
    ) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return held.fold.task();
  }

  /** Writes the rest of a `slow` task. */
  release(taskId: string): void {
    const held = this.tasks.get(taskId)!;
    this.text(held, 'released', true);
    this.status(held, 'TASK_STATE_COMPLETED');
  }

  /** An event of a reader's own making, as the core's heartbeat is: not stored, no id. */
  heartbeat: StreamHeartbeat | undefined;

  text(held: Held, text: string, append: boolean): void {
    this.artifact(held, { artifactId: 'answer', parts: [{ text }] }, append);
  }

  held(taskId: string): Held {
    return this.tasks.get(taskId)!;
  }

  private resume(held: Held, text: string): Submitted {
    if (isTerminal(held.fold.status.state)) {
      throw new DomainError('UNSUPPORTED_OPERATION', 'The task is over');
    }
    this.run(held, text);
    const { id: taskId, contextId } = held.fold;
    return { taskId, contextId, turn: 1, how: 'continued' };
  }

  private run(held: Held, text: string): void {
    if (text === 'boom') throw new Error('connect redis://:secret@10.0.0.1 failed');
    this.status(held, 'TASK_STATE_WORKING');
    if (text === 'slow') {
      this.text(held, 'working ', false);
      return;
    }
    if (text === 'ask') {
      this.status(held, 'TASK_STATE_INPUT_REQUIRED', 'Which cluster?');
      return;
    }
    if (text === 'files') this.files(held);
    this.text(held, 'Hello ', false);
    this.text(held, 'world', true);
    this.status(held, 'TASK_STATE_COMPLETED');
  }

  private files(held: Held): void {
    this.artifact(held, {
      artifactId: 'mixed',
      parts: [
        { text: 'a chart' },
        { raw: 'aGk=', mediaType: 'image/png', filename: 'c.png' },
        { data: { a: 0, b: false, c: '', d: null, e: [] } },
      ],
    });
    this.artifact(held, { artifactId: 'null', parts: [{ data: null }] });
    this.artifact(held, { artifactId: 'image', parts: [{ raw: 'aGk=', mediaType: 'image/png' }] });
  }

  private artifact(held: Held, artifact: Artifact, append = false): void {
    const { id: taskId, contextId } = held.fold;
    this.add(held, { artifactUpdate: { taskId, contextId, artifact, append } });
  }

  private status(held: Held, state: TaskStateName, question?: string): void {
    const { id: taskId, contextId } = held.fold;
    const message =
      question === undefined
        ? {}
        : {
            message: {
              messageId: randomUUID(),
              role: 'ROLE_AGENT' as const,
              parts: [{ text: question }],
              taskId,
              contextId,
            },
          };
    const status = { ...statusOf(state), ...message };
    this.add(held, { statusUpdate: { taskId, contextId, status } });
  }

  private add(held: Held, event: StreamResponse, folded = false): void {
    if (!folded) held.fold.apply(event);
    const settled = 'statusUpdate' in event && isSettled(event.statusUpdate.status.state);
    held.events.push({
      id: { seq: held.events.length + 1, epoch: 1 },
      json: JSON.stringify(event),
      settled,
    });
    [...held.wake].forEach((wake) => {
      wake();
    });
  }

  private find(ctx: CallContext, taskId: string): Held {
    const held = this.tasks.get(taskId);
    if (held === undefined || held.owner !== ownerOf(ctx)) throw taskNotFound(taskId);
    return held;
  }

  private async *read(
    held: Held,
    start: StartAt,
    signal: AbortSignal,
  ): AsyncGenerator<TaskEvent | StreamHeartbeat> {
    this.readers += 1;
    try {
      let next = 0;
      // An id beyond the log is none of this task's.
      const lost = start.from === 'after' && start.id.seq > held.events.length;
      if (start.from === 'snapshot' || lost) {
        next = held.events.length;
        const json = JSON.stringify({ task: held.fold.task() });
        const settled = isSettled(held.fold.status.state);
        yield { id: { seq: next, epoch: 1 }, json, settled };
        if (settled) return;
      } else if (start.from === 'after') {
        next = start.id.seq;
      }
      if (this.heartbeat !== undefined) yield this.heartbeat;
      while (!signal.aborted) {
        const event = held.events[next];
        if (event !== undefined) {
          next += 1;
          this.taken += 1;
          yield event;
          if (event.settled) return;
        } else if (isTerminal(held.fold.status.state)) {
          return;
        } else {
          await woken(held.wake, signal);
        }
      }
    } finally {
      this.readers -= 1;
    }
  }
}

function woken(wake: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      wake.delete(done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    wake.add(done);
    signal.addEventListener('abort', done);
  });
}

function ownerOf(ctx: CallContext): string {
  return `${ctx.tenant}/${ctx.user}`;
}

function statusOf(state: TaskStateName): Task['status'] {
  return { state, timestamp: '2026-11-30T12:00:00.000Z' };
}

/** Push notifications are switched off here, as they are by default. */
const noPush: Pick<PushConfigService, 'requireEnabled' | 'check'> = {
  requireEnabled: () => {
    throw new DomainError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'Push notifications are off');
  },
  check: async () => {
    await Promise.resolve();
    noPush.requireEnabled();
  },
};

export interface A2aApp {
  readonly url: string;
  readonly tasks: FakeTasks;
  readonly streams: StreamRegistry;
  readonly app: NestFastifyApplication;
  close(): Promise<void>;
}

/** A gateway with the A2A surface alone, on a random loopback port, over a core in memory. */
export async function startA2aApp(config: Partial<GatewayConfig> = {}): Promise<A2aApp> {
  const tasks = new FakeTasks();
  const app = await startSurfaces(a2aConfig(config), { tasks, push: noPush });
  return {
    url: (await app.getUrl()).replace('[::1]', '127.0.0.1'),
    tasks,
    streams: app.get(StreamRegistry, { strict: false }),
    app,
    close: async () => {
      cutConnections(app);
      await app.close();
    },
  };
}

/** One event of an SSE body as it stood on the wire. */
export interface WireEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data?: string;
}

/** Splits an SSE text into its blocks; comments are dropped. */
export function parseSse(text: string): WireEvent[] {
  return text
    .split('\n\n')
    .map((block) =>
      Object.fromEntries(
        block
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith(':'))
          .map((line) => {
            const colon = line.indexOf(':');
            return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
          }),
      ),
    )
    .filter((event) => Object.keys(event).length > 0);
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: unknown;
}

export async function call(
  url: string,
  init: RequestInit & { token?: string | null } = {},
): Promise<Answer> {
  const { token = 'alice-token', headers, ...rest } = init;
  const response = await fetch(url, {
    ...rest,
    headers: {
      ...(token === null ? {} : { 'x-user-token': token }),
      ...(typeof rest.body === 'string' ? { 'content-type': 'application/json' } : {}),
      ...(headers as Record<string, string> | undefined),
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A SendMessageRequest of 1.0; `message` overrides its message. */
export function sendRequest(
  text: string,
  message: Record<string, unknown> = {},
  rest: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...message },
    ...rest,
  };
}

/** MessageSendParams of 0.3. */
export function sendParams03(
  text: string,
  message: Record<string, unknown> = {},
  rest: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    message: {
      kind: 'message',
      messageId: randomUUID(),
      role: 'user',
      parts: [{ kind: 'text', text }],
      ...message,
    },
    ...rest,
  };
}

export function rpc(method: string, params?: unknown, id: unknown = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}
