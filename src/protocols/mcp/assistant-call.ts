import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Task } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import { isInterrupted, isSettled } from '../../domain/task-state.js';
import { countRefusal } from '../../metrics/count-refusal.js';
import { metrics } from '../../metrics/metrics.js';
import type { TaskService } from '../../tasks/task.service.js';
import type { Submitted } from '../../tasks/task.types.js';
import { logIdsOf } from '../../tracing/log-ids.js';
import { assistantResult, refusal } from './assistant-result.js';
import type { McpExchange } from './exchange.js';
import { type ProgressSink, reportSteps } from './progress.js';

export interface AssistantArguments {
  readonly message: string;
  readonly chat_id?: string | undefined;
}

export interface AssistantCallOptions {
  /** How long a call waits for its task before it answers `status: working`. */
  readonly maxWaitMs: number;
  /** 2026-07-28: closing the response stream is the cancel. Before, it means nothing. */
  readonly closingCancels: boolean;
  /** Absent when the client asked for no progress or could not get it. */
  readonly progress?: ProgressSink;
}

/** With a chat_id and nothing else: wait for what runs there, or hear what it answered. */
const CONTINUE = new Set(['continue', '继续']);

/** Refusals that MCP clients get as an HTTP status; all others are results for the model. */
const HTTP_REFUSALS = new Set<DomainError['code']>([
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'TOO_LARGE',
  'UNAVAILABLE',
]);

const logger = new Logger('McpCall');

/** How long the last steps may still be sent once the answer is there. */
const PROGRESS_REST_MS = 1000;

/**
 * One call of `n9e_assistant`: a message becomes a task of the core, and its answer the result.
 * Never rejects: a refusal that is an HTTP status goes to the exchange, any other becomes a result
 * with `isError`.
 */
export async function callAssistant(
  tasks: TaskService,
  exchange: McpExchange,
  args: AssistantArguments,
  options: AssistantCallOptions,
): Promise<CallToolResult> {
  const { ctx, limits, noteTask } = exchange.options;
  let started: Submitted;
  try {
    checkArguments(args, limits.idBytes);
    started = await begin(tasks, ctx, args);
  } catch (error) {
    return refused(exchange, error);
  }
  noteTask(started.taskId);
  exchange.open();
  try {
    return await follow(tasks, exchange, started, options);
  } catch (error) {
    if (!(error instanceof DomainError)) report(ctx, started, error);
    return refusal(
      `${sentence(ctx, error)}. The task may go on: call this tool again with the message ` +
        `"continue" and chat_id "${started.contextId}" (task ${started.taskId}).`,
    );
  }
}

/** @throws DomainError INVALID_PARAMS for what a JSON schema cannot say. */
function checkArguments({ message, chat_id: chatId }: AssistantArguments, idBytes: number): void {
  if (message.trim() === '') throw new DomainError('INVALID_PARAMS', 'message must not be blank');
  if (chatId !== undefined && Buffer.byteLength(chatId) > idBytes) {
    throw new DomainError('INVALID_PARAMS', `chat_id must not be longer than ${idBytes} bytes`);
  }
}

/** A new task, the answer to an open question, or the task that a `continue` asks for. */
async function begin(
  tasks: TaskService,
  ctx: CallContext,
  { message, chat_id: chatId }: AssistantArguments,
): Promise<Submitted> {
  const contextId = chatId?.trim() === '' ? undefined : chatId;
  const newest =
    contextId === undefined
      ? undefined
      : (await tasks.list(ctx, { contextId, pageSize: 1 })).tasks[0];
  const parked = newest !== undefined && isInterrupted(newest.status.state);
  if (newest !== undefined && !parked && CONTINUE.has(message.trim())) {
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
  });
}

/** Waits for the task, telling its steps meanwhile. */
async function follow(
  tasks: TaskService,
  { over, options: { ctx, gone } }: McpExchange,
  started: Submitted,
  options: AssistantCallOptions,
): Promise<CallToolResult> {
  const steps = new AbortController();
  const told = tellSteps(tasks, ctx, started, options.progress, steps.signal);
  try {
    const task = await tasks.waitSettled(ctx, started.taskId, {
      timeoutMs: options.maxWaitMs,
      signal: over,
    });
    const settled = isSettled(task.status.state);
    if (gone.aborted && options.closingCancels) await cancel(tasks, ctx, task);
    else if (!settled && !over.aborted) metrics.blockingTimeouts.inc();
    if (settled) await within(told, PROGRESS_REST_MS);
    return assistantResult(task, started.turn);
  } finally {
    steps.abort();
    await told;
  }
}

async function tellSteps(
  tasks: TaskService,
  ctx: CallContext,
  { taskId, contextId, how }: Submitted,
  sink: ProgressSink | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (sink === undefined) return;
  await sink(`Started (chat_id ${contextId}, task_id ${taskId})`);
  const from = how === 'created' ? 'start' : 'snapshot';
  await reportSteps(tasks.subscribe(ctx, taskId, { from }, signal), sink);
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

function refused(exchange: McpExchange, error: unknown): CallToolResult {
  const text = sentence(exchange.options.ctx, error);
  if (!(error instanceof DomainError) || HTTP_REFUSALS.has(error.code)) {
    exchange.refuse(error);
    return refusal(`${text}.`);
  }
  countRefusal(error);
  exchange.open();
  return refusal([`${text}.`, ...adviceFor(error)].join(' '));
}

function adviceFor(error: DomainError): readonly string[] {
  return [
    ...(error.code === 'CONTEXT_BUSY'
      ? ['To wait for the answer that is being worked on, send the message "continue".']
      : []),
    ...(error.retryAfter === undefined ? [] : [`Try again in ${error.retryAfter} s.`]),
  ];
}

/** Only texts written for callers go out. */
function sentence(ctx: CallContext, error: unknown): string {
  if (!(error instanceof DomainError)) return `Internal error (request ${ctx.requestId})`;
  return error.message.replace(/[.。]$/u, '');
}
