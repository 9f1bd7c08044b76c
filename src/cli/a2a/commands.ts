import { randomUUID } from 'node:crypto';
import type { StreamResponse as SdkStreamResponse } from '@a2a-js/sdk';
import type { JsonObject, Message, Task } from '../../domain/a2a.js';
import { TaskFold } from '../../domain/fold.js';
import { isInterrupted, isSettled, isTerminal } from '../../domain/task-state.js';
import type { Connection } from './connect.js';
import { CliError, EXIT, type ExitCode } from './exit-code.js';
import type { Output } from './output.js';
import {
  listRequest,
  sendRequest,
  toAnswer,
  toEvent,
  toPage,
  toTask,
} from '../../assistant/remote/a2a-wire.js';

export interface Session extends Connection {
  readonly output: Output;
  /** Aborts at Ctrl-C. */
  readonly signal: AbortSignal;
  /** The beginning of a command line that reaches the same server. */
  readonly commandLine: string;
}

export interface SendOptions {
  readonly message: string;
  readonly contextId: string | undefined;
  readonly taskId: string | undefined;
  readonly lang: string | undefined;
  readonly timezone: string | undefined;
  readonly stream: boolean;
  /** Fetch the task afterwards, on a connection of its own. */
  readonly get: boolean;
}

/** Sends a message and shows its task until it settles. */
export async function send(session: Session, options: SendOptions): Promise<ExitCode> {
  const { client, output, signal } = session;
  const message: Message = {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [{ text: options.message }],
    ...(options.contextId === undefined ? {} : { contextId: options.contextId }),
    ...(options.taskId === undefined ? {} : { taskId: options.taskId }),
  };
  const metadata: JsonObject = {
    ...(options.lang === undefined ? {} : { lang: options.lang }),
    ...(options.timezone === undefined ? {} : { timezone: options.timezone }),
  };
  const request = sendRequest(message, metadata);
  if (options.stream) {
    return finish(
      session,
      await follow(session, client.sendMessageStream(request, { signal })),
      options.get,
    );
  }
  const answer = toAnswer(await client.sendMessage(request, { signal }));
  if ('message' in answer) {
    output.message(answer.message);
    return EXIT.ok;
  }
  output.event(answer);
  return finish(session, answer.task, options.get);
}

/** Follows a task that runs, from now on or after an event already seen. */
export async function subscribe(
  session: Session,
  options: { readonly taskId: string; readonly lastEventId: string | undefined },
): Promise<ExitCode> {
  const { client, signal, place } = session;
  const { taskId, lastEventId } = options;
  place.taskId = taskId;
  place.lastEventId = lastEventId;
  const events = client.resubscribeTask(
    { id: taskId, tenant: '' },
    {
      signal,
      ...(lastEventId === undefined ? {} : { serviceParameters: { 'Last-Event-ID': lastEventId } }),
    },
  );
  return finish(session, await follow(session, events), false);
}

export async function get(session: Session, taskId: string): Promise<ExitCode> {
  session.output.task(await fetchTask(session, taskId));
  return EXIT.ok;
}

export async function cancel(session: Session, taskId: string): Promise<ExitCode> {
  const { client, output, signal } = session;
  output.task(
    toTask(await client.cancelTask({ id: taskId, tenant: '', metadata: {} }, { signal })),
  );
  return EXIT.ok;
}

export async function list(session: Session, query: JsonObject): Promise<ExitCode> {
  const { client, output, signal } = session;
  output.list(toPage(await client.listTasks(listRequest(query), { signal })));
  return EXIT.ok;
}

/**
 * Shows a stream's events. Undefined when the agent answered with a message instead of a task.
 * @returns the task as of the last event, fetched when the stream does not tell all of it.
 */
async function follow(
  session: Session,
  events: AsyncIterable<SdkStreamResponse>,
): Promise<Task | undefined> {
  const { output, place, signal } = session;
  let fold: TaskFold | undefined;
  for await (const sent of events) {
    const event = toEvent(sent);
    if ('message' in event) {
      output.message(event.message);
      return undefined;
    }
    if (fold === undefined && 'task' in event) fold = new TaskFold(event.task);
    else fold?.apply(event);
    output.event(event);
  }
  signal.throwIfAborted();
  if (fold !== undefined && isSettled(fold.status.state)) return fold.task();
  if (place.taskId === undefined) {
    throw new CliError(EXIT.refused, 'The server closed the stream without an event');
  }
  return fetchTask(session, place.taskId);
}

async function fetchTask({ client, signal }: Session, taskId: string): Promise<Task> {
  return toTask(await client.getTask({ id: taskId, tenant: '' }, { signal }));
}

async function finish(
  session: Session,
  task: Task | undefined,
  fetchAgain: boolean,
): Promise<ExitCode> {
  if (task === undefined) return EXIT.ok;
  session.output.end(task, nextSteps(session, task));
  if (fetchAgain) session.output.task(await fetchTask(session, task.id));
  return exitCodeOf(task);
}

function exitCodeOf({ status: { state } }: Task): ExitCode {
  if (state === 'TASK_STATE_COMPLETED') return EXIT.ok;
  if (isTerminal(state)) return EXIT.failed;
  return isInterrupted(state) ? EXIT.inputRequired : EXIT.running;
}

function nextSteps({ commandLine }: Session, { id, contextId, status }: Task): readonly string[] {
  if (isInterrupted(status.state)) {
    return [`answer:  ${commandLine} --task-id ${quoted(id)} --message '…'`];
  }
  if (isTerminal(status.state)) {
    return [`go on:  ${commandLine} --context-id ${quoted(contextId)} --message '…'`];
  }
  return [`follow:  ${commandLine} subscribe ${quoted(id)}`];
}

/** What Ctrl-C leaves behind. */
export function detachNote({ commandLine, place }: Session): string {
  if (place.taskId === undefined) return 'Interrupted before the server named its task.';
  const after =
    place.lastEventId === undefined ? '' : ` --last-event-id ${quoted(place.lastEventId)}`;
  return `Detached; the task goes on. To follow it:\n  ${commandLine} subscribe ${quoted(place.taskId)}${after}`;
}

/** An argument that a shell takes as it is. */
export function quoted(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
