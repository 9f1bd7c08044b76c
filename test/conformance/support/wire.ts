import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type {
  JsonObject,
  JsonValue,
  StreamResponse,
  Task,
  TaskStateName,
} from '../../../src/domain/a2a.js';
import type { EventId } from '../../../src/domain/event.js';
import {
  A2aClient,
  type EventStream,
  RefusedStream,
  type Reply,
} from '../../support/a2a-client.js';
import { eventually, within } from '../../support/wait.js';
import type { A2aCell } from './cells.js';
import { type HttpRequest, type Operation, restRequest } from './operations.js';
import { Refused } from './refused.js';
import { eventOf03, isDocument, methodOf03, paramsOf03, pushOf03, taskOf03 } from './v03.js';

export type Headers = Readonly<Record<string, string>>;

/** The path of a JSON-RPC binding, which says its version without a header. */
export const RPC_PATH = { 'jsonrpc-1.0': '/a2a/v1', 'jsonrpc-0.3': '/a2a' } as const;

export interface MessageOptions {
  readonly contextId?: string;
  readonly taskId?: string;
  readonly messageId?: string;
  readonly parts?: readonly JsonValue[];
  readonly configuration?: JsonObject;
  /** Of the request. */
  readonly metadata?: JsonObject;
  /** Further fields of the message. */
  readonly message?: JsonObject;
  readonly headers?: Headers;
}

/** A SendMessageRequest of 1.0 with one text part. */
export function sendParams(text: string, options: MessageOptions = {}): JsonObject {
  const { contextId, taskId, messageId, parts, configuration, metadata, message } = options;
  return {
    message: {
      messageId: messageId ?? randomUUID(),
      role: 'ROLE_USER',
      parts: parts ?? [{ text }],
      ...(contextId === undefined ? {} : { contextId }),
      ...(taskId === undefined ? {} : { taskId }),
      ...message,
    },
    ...(configuration === undefined ? {} : { configuration }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly totalSize: number;
  readonly pageSize: number;
  readonly nextPageToken: string;
}

/**
 * A caller of A2A who checks every envelope: one binding and version, one base URL, one token.
 * Requests and answers are 1.0 documents; 0.3 is translated, strictly, on its way in and out.
 */
export class Wire {
  readonly http: A2aClient;

  constructor(
    readonly cell: A2aCell,
    baseUrl: string,
    token: string | undefined,
    /** For an answer, in milliseconds. */
    private readonly patience: number,
  ) {
    this.http = new A2aClient(baseUrl, token);
  }

  /** The operation as it goes over the wire. */
  request(operation: Operation, params: JsonObject, id: JsonValue = 1): HttpRequest {
    if (this.cell === 'rest-1.0') return restRequest(operation, params);
    const is03 = this.cell === 'jsonrpc-0.3';
    const method = is03 ? methodOf03(operation) : operation;
    const body = { jsonrpc: '2.0', id, method };
    return {
      method: 'POST',
      path: RPC_PATH[this.cell],
      body: { ...body, params: is03 ? paramsOf03(operation, params) : params },
    };
  }

  /** @throws Refused; Error when the answer is not in the envelope of its binding. */
  async call(operation: Operation, params: JsonObject, headers: Headers = {}): Promise<JsonObject> {
    const { method, path, body } = this.request(operation, params);
    const reply = await within(
      operation,
      this.patience,
      this.http.call(method, path, body, headers),
    );
    return this.resultOf(operation, reply);
  }

  /** @throws Error when the operation is not refused. */
  async refusal(operation: Operation, params: JsonObject, headers: Headers = {}): Promise<Refused> {
    try {
      if (operation === 'SendStreamingMessage' || operation === 'SubscribeToTask') {
        (await this.open(operation, params, headers)).disconnect();
      } else await this.call(operation, params, headers);
    } catch (error) {
      if (error instanceof Refused) return error;
      throw error;
    }
    throw new Error(`${operation} was accepted: ${JSON.stringify(params)}`);
  }

  async send(text: string, options: MessageOptions = {}): Promise<Task> {
    const { task } = await this.call('SendMessage', sendParams(text, options), options.headers);
    return asTask(task);
  }

  /** Starts a task and returns while it runs. */
  async start(text: string, options: MessageOptions = {}): Promise<Task> {
    const configuration = { ...options.configuration, returnImmediately: true };
    return this.send(text, { ...options, configuration });
  }

  async get(id: string, more: JsonObject = {}): Promise<Task> {
    return asTask(await this.call('GetTask', { id, ...more }));
  }

  /** The task once it is in the state. */
  async reaches(id: string, state: TaskStateName): Promise<Task> {
    return eventually(
      `the task is ${state}`,
      async () => {
        const task = await this.get(id);
        return task.status.state === state ? task : undefined;
      },
      this.patience,
      30,
    );
  }

  async list(params: JsonObject = {}): Promise<TaskPage> {
    const page = await this.call('ListTasks', params);
    expect(page).toMatchObject({
      tasks: expect.any(Array) as unknown,
      totalSize: expect.any(Number) as unknown,
      nextPageToken: expect.any(String) as unknown,
    });
    return page as unknown as TaskPage;
  }

  async cancel(id: string): Promise<Task> {
    return asTask(await this.call('CancelTask', { id }));
  }

  stream(text: string, options: MessageOptions = {}): Promise<WireStream> {
    return this.open('SendStreamingMessage', sendParams(text, options), options.headers);
  }

  subscribe(id: string, lastEventId?: string): Promise<WireStream> {
    const headers = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    return this.open('SubscribeToTask', { id }, headers);
  }

  /** @throws Refused when the stream is refused, before its head or by its only event. */
  async open(operation: Operation, params: JsonObject, headers: Headers = {}): Promise<WireStream> {
    const { method, path, body } = this.request(operation, params);
    let raw: EventStream;
    try {
      raw = await within(
        operation,
        this.patience,
        this.http.open(method, path, { ...headers }, body),
      );
    } catch (error) {
      if (!(error instanceof RefusedStream)) throw error;
      const { status, text } = error;
      const type = 'application/json';
      this.resultOf(operation, replyOf(status, text, { 'content-type': type }));
      throw new Error(`${operation}: an answer that is no stream: ${text}`, { cause: error });
    }
    const stream = new WireStream(raw, (data) => this.eventOf(data), this.patience);
    await within('the first event', this.patience, raw.until(1));
    stream.check();
    return stream;
  }

  /** @throws Refused. */
  resultOf(operation: Operation, reply: Reply): JsonObject {
    const result =
      this.cell === 'rest-1.0'
        ? restResult(reply)
        : rpcResult(reply, 1, this.cell === 'jsonrpc-0.3');
    if (this.cell !== 'jsonrpc-0.3') return isDocument(result) ? result : {};
    switch (operation) {
      case 'SendMessage':
        return { task: taskOf03(result) };
      case 'GetTask':
      case 'CancelTask':
        return taskOf03(result);
      case 'CreateTaskPushNotificationConfig':
      case 'GetTaskPushNotificationConfig':
        return pushOf03(result);
      case 'ListTaskPushNotificationConfigs':
        if (!Array.isArray(result)) throw new Error(`no list: ${reply.text}`);
        return { configs: (result as readonly JsonValue[]).map(pushOf03) };
      default:
        return isDocument(result) ? result : {};
    }
  }

  private eventOf(data: JsonObject): StreamResponse {
    if (this.cell === 'rest-1.0') {
      if (isDocument(data['error'])) throw new Refused('rest', 200, data['error'], {});
      return data as unknown as StreamResponse;
    }
    const result = rpcResult(
      replyOf(200, JSON.stringify(data), { 'content-type': 'application/json' }),
      1,
    );
    const event = this.cell === 'jsonrpc-0.3' ? eventOf03(result) : result;
    return event as unknown as StreamResponse;
  }
}

export interface WireEvent {
  readonly id: EventId | undefined;
  readonly event: StreamResponse;
  /** As it stood on the wire. */
  readonly data: JsonObject;
}

/** A stream of a binding, its events as 1.0 documents. */
export class WireStream {
  constructor(
    readonly raw: EventStream,
    private readonly read: (data: JsonObject) => StreamResponse,
    private readonly patience: number,
  ) {}

  get events(): readonly WireEvent[] {
    return this.raw.events.map(({ id, data }) => ({
      id,
      event: this.read(data as unknown as JsonObject),
      data: data as unknown as JsonObject,
    }));
  }

  /** @throws Refused when an event is an error. */
  check(): void {
    expect(this.events.length).toBeGreaterThan(0);
  }

  /** All events, once the server has ended the stream. */
  async end(): Promise<readonly WireEvent[]> {
    await within('the end of the stream', this.patience, this.raw.ended);
    return this.events;
  }

  async find(pick: (event: StreamResponse) => boolean): Promise<StreamResponse> {
    const found = await within(
      'the event',
      this.patience,
      this.raw.find(({ data }) => pick(this.read(data as unknown as JsonObject))),
    );
    return this.read(found.data as unknown as JsonObject);
  }

  disconnect(): void {
    this.raw.disconnect();
  }
}

function replyOf(status: number, text: string, headers: Reply['headers']): Reply {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status, text, headers, body: body as JsonObject };
}

/** @throws Refused. */
export function restResult(reply: Reply): JsonValue | undefined {
  const { status, headers, text, body } = reply;
  if (status === 204 && text === '') return undefined;
  expect(headers['content-type'], text).toMatch(/^application\/(a2a\+)?json(;|$)/);
  if (status >= 200 && status < 300) return body;
  if (!isDocument(body) || !isDocument(body['error'])) throw new Error(`no envelope: ${text}`);
  throw new Refused('rest', status, body['error'], headers);
}

/** @throws Refused. */
export function rpcResult(reply: Reply, id: JsonValue, nullable = false): JsonValue {
  const { status, headers, text, body } = reply;
  expect(headers['content-type'], text).toMatch(/^application\/json(;|$)/);
  if (!isDocument(body) || body['jsonrpc'] !== '2.0') throw new Error(`no envelope: ${text}`);
  expect(body['id'], text).toEqual(id);
  const { result, error } = body;
  expect([result !== undefined, error !== undefined].filter(Boolean), text).toHaveLength(1);
  if (isDocument(error)) throw new Refused('jsonrpc', status, error, headers);
  if (result === undefined || (result === null && !nullable)) return {};
  return result;
}

function asTask(document: JsonValue | undefined): Task {
  expect(document).toMatchObject({
    id: expect.any(String) as unknown,
    contextId: expect.any(String) as unknown,
    status: { state: expect.stringMatching(/^TASK_STATE_[A-Z_]+$/) as unknown },
  });
  return document as unknown as Task;
}

/** The text of a task's artifacts, thoughts left out. */
export function textOf(task: Task): string {
  return (task.artifacts ?? [])
    .flatMap(({ parts }) => parts)
    .filter(({ metadata }) => metadata?.['adk_thought'] !== true)
    .map((part) => part.text ?? '')
    .join('');
}
