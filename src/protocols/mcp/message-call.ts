import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Task } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import { isInterrupted, isSettled } from '../../domain/task-state.js';
import type { TaskService } from '../../tasks/task.service.js';
import type { Submitted } from '../../tasks/task.types.js';
import { logIdsOf } from '../../tracing/log-ids.js';
import { refusal } from './assistant-result.js';
import type { McpExchange } from './exchange.js';
import { type ProgressSink, reportSteps } from './progress.js';
import { sentence } from './refusal-text.js';

/** A tool's message to the assistant. */
export interface MessageCall {
  readonly message: string;
  /** The conversation it belongs to, with the name that the tool's argument has. */
  readonly context: { readonly argument: string; readonly id: string | undefined };
  /** The message `continue` waits for what runs in that conversation. */
  readonly canContinue: boolean;
}

/** How the tool words what it answers. */
export interface MessageAnswers {
  result(task: Task, turn: number): CallToolResult | Promise<CallToolResult>;
  /** What a client does that was cut off from a task which goes on; a sentence. */
  goOn(started: Submitted): string;
}

export interface MessageCallOptions {
  /** How long a call waits for its task before it answers with an unfinished one; 0: not at all. */
  readonly maxWaitMs: number;
  /** 2026-07-28: closing the response stream is the cancel. Before, it means nothing. */
  readonly closingCancels: boolean;
  /** Before: a notification that names the request is the cancel; see `cancelRequest`. */
  readonly origin?: string;
  /** Absent when the client asked for no progress or could not get it. */
  readonly progress?: ProgressSink;
}

/** With a chat_id and nothing else: wait for what runs there, or hear what it answered. */
const CONTINUE = new Set(['continue', '继续']);

const logger = new Logger('McpCall');

/** How long the last steps may still be sent once the answer is there. */
const PROGRESS_REST_MS = 1000;

/**
 * One call of a tool that talks to the assistant: its message becomes a task of the core, and the
 * task's answer the result. Once the task has begun, an error is a result that says how to go on.
 * @throws whatever keeps the task from beginning.
 */
export async function callWithMessage(
  tasks: TaskService,
  exchange: McpExchange,
  call: MessageCall,
  answers: MessageAnswers,
  options: MessageCallOptions,
): Promise<CallToolResult> {
  const { ctx, limits, noteTask } = exchange.options;
  checkArguments(call, limits.idBytes);
  const started = await begin(tasks, exchange, call, options.origin);
  noteTask(started.taskId);
  exchange.open();
  try {
    const task = await follow(tasks, exchange, started, options);
    return await answers.result(task, started.turn);
  } catch (error) {
    if (!(error instanceof DomainError)) report(ctx, started, error);
    return refusal(
      [`${sentence(ctx, error)}.`, 'The task may go on:', answers.goOn(started)].join(' '),
    );
  }
}

/** @throws DomainError INVALID_PARAMS for what a JSON schema cannot say. */
function checkArguments({ message, context }: MessageCall, idBytes: number): void {
  if (message.trim() === '') throw new DomainError('INVALID_PARAMS', 'message must not be blank');
  checkId(context.argument, context.id, idBytes);
}

/** @throws DomainError INVALID_PARAMS. */
export function checkId(argument: string, id: string | undefined, idBytes: number): void {
  if (id === undefined || Buffer.byteLength(id) <= idBytes) return;
  throw new DomainError('INVALID_PARAMS', `${argument} must not be longer than ${idBytes} bytes`);
}

/** A new task, the answer to an open question, or the task that a `continue` asks for. */
async function begin(
  tasks: TaskService,
  { options: { ctx } }: McpExchange,
  { message, context, canContinue }: MessageCall,
  origin: string | undefined,
): Promise<Submitted> {
  const contextId = context.id?.trim() === '' ? undefined : context.id;
  const newest =
    contextId === undefined
      ? undefined
      : (await tasks.list(ctx, { contextId, pageSize: 1 })).tasks[0];
  const parked = newest !== undefined && isInterrupted(newest.status.state);
  if (newest !== undefined && !parked && canContinue && CONTINUE.has(message.trim())) {
    return { taskId: newest.id, contextId: newest.contextId, turn: 0, how: 'joined' };
  }
  return tasks.submit(ctx, {
    message: {
      messageId: randomUUID(),
      role: 'ROLE_USER',
      parts: [{ text: message }],
      ...(contextId === undefined ? {} : { contextId }),
      ...(parked ? { taskId: newest.id } : {}),
    },
    ...(origin === undefined ? {} : { origin }),
  });
}

/** Waits for the task, telling its steps meanwhile. */
async function follow(
  tasks: TaskService,
  exchange: McpExchange,
  started: Submitted,
  { maxWaitMs, closingCancels, progress }: MessageCallOptions,
): Promise<Task> {
  const { ctx } = exchange.options;
  if (maxWaitMs === 0) return tasks.get(ctx, started.taskId);
  const steps = progress === undefined ? undefined : tellSteps(tasks, ctx, started, progress);
  try {
    const task = await tasks.waitSettled(ctx, started.taskId, {
      timeoutMs: maxWaitMs,
      signal: exchange.over,
    });
    if (exchange.gone && closingCancels) await cancel(tasks, ctx, task);
    if (steps !== undefined && isSettled(task.status.state)) {
      await within(steps.told, PROGRESS_REST_MS);
    }
    return task;
  } finally {
    steps?.end();
    await steps?.told;
  }
}

interface Steps {
  /** Resolves when all was told. */
  readonly told: Promise<void>;
  end(): void;
}

function tellSteps(
  tasks: TaskService,
  ctx: CallContext,
  { taskId, contextId, how }: Submitted,
  sink: ProgressSink,
): Steps {
  const controller = new AbortController();
  const { signal } = controller;
  const tell = async (): Promise<void> => {
    await sink(`Started (chat_id ${contextId}, task_id ${taskId})`);
    const from = how === 'created' ? 'start' : 'snapshot';
    await reportSteps(tasks.subscribe(ctx, taskId, { from }, signal), sink);
  };
  return {
    told: tell(),
    end: () => {
      controller.abort();
    },
  };
}

/** A task that has ended meanwhile needs no cancel. */
async function cancel(tasks: TaskService, ctx: CallContext, task: Task): Promise<void> {
  try {
    await tasks.cancel(ctx, task.id);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function report(ctx: CallContext, { taskId }: Submitted, error: unknown): void {
  logger.error({ msg: 'a call broke off', ...logIdsOf(ctx), taskId, err: error });
}
