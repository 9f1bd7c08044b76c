import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type {
  JsonObject,
  Message,
  StreamResponse,
  Task,
  TaskStateName,
} from '../../src/domain/a2a.js';
import { parseEventId, type EventId } from '../../src/domain/event.js';

/** An answer as it came. */
export interface Reply<T = JsonObject> {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly body: T;
}

export interface SseEvent {
  /** Undefined for a heartbeat. */
  readonly id: EventId | undefined;
  readonly data: StreamResponse;
  /** performance.now() at its arrival. */
  readonly at: number;
}

export interface SendOptions {
  readonly contextId?: string;
  readonly taskId?: string;
  readonly messageId?: string;
  readonly metadata?: JsonObject;
  readonly configuration?: JsonObject;
}

/** A user message with one text part. */
export function userMessage(text: string, options: SendOptions = {}): Message {
  return {
    messageId: options.messageId ?? randomUUID(),
    role: 'ROLE_USER',
    parts: [{ text }],
    ...(options.contextId === undefined ? {} : { contextId: options.contextId }),
    ...(options.taskId === undefined ? {} : { taskId: options.taskId }),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
  };
}

/** A2A 1.0 over REST, as thin as it gets: what a test sends is what is on the wire. */
export class A2aClient {
  constructor(
    private readonly baseUrl: string,
    private readonly token: string | undefined,
  ) {}

  /** Waits for the task's end, or returns at once with `returnImmediately`. */
  async send(text: string, options: SendOptions = {}): Promise<Task> {
    const reply = await this.sendRaw(text, options);
    if (reply.status !== 200) throw new Error(`send: ${reply.status} ${reply.text}`);
    return reply.body.task;
  }

  /** Starts a task and returns while it runs. */
  start(text: string, options: SendOptions = {}): Promise<Task> {
    return this.send(text, { ...options, configuration: { returnImmediately: true } });
  }

  sendRaw(text: string, options: SendOptions = {}): Promise<Reply<{ task: Task }>> {
    return this.call('POST', '/a2a/message:send', {
      message: userMessage(text, options) as unknown as JsonObject,
      ...(options.configuration === undefined ? {} : { configuration: options.configuration }),
    });
  }

  async get(taskId: string, query = ''): Promise<Task> {
    const reply = await this.call<Task>('GET', `/a2a/tasks/${taskId}${query}`);
    if (reply.status !== 200) throw new Error(`get: ${reply.status} ${reply.text}`);
    return reply.body;
  }

  async state(taskId: string): Promise<TaskStateName> {
    return (await this.get(taskId, '?historyLength=0')).status.state;
  }

  async list(query = ''): Promise<{ tasks: Task[]; totalSize: number; nextPageToken: string }> {
    const reply = await this.call<{ tasks: Task[]; totalSize: number; nextPageToken: string }>(
      'GET',
      `/a2a/tasks${query}`,
    );
    if (reply.status !== 200) throw new Error(`list: ${reply.status} ${reply.text}`);
    return reply.body;
  }

  cancel(taskId: string): Promise<Reply<Task>> {
    return this.call('POST', `/a2a/tasks/${taskId}:cancel`, {});
  }

  stream(text: string, options: SendOptions = {}): Promise<EventStream> {
    return this.open(
      'POST',
      '/a2a/message:stream',
      {},
      {
        message: userMessage(text, options) as unknown as JsonObject,
      },
    );
  }

  subscribe(taskId: string, lastEventId?: string): Promise<EventStream> {
    return this.open(
      'GET',
      `/a2a/tasks/${taskId}:subscribe`,
      lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
    );
  }

  /** Any call; a body that is a string goes out as it is. */
  async call<T = JsonObject>(
    method: string,
    path: string,
    body?: JsonObject | string,
    headers: Record<string, string> = {},
  ): Promise<Reply<T>> {
    const response = await answered(this.request(method, path, headers, body));
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch {
      parsed = undefined;
    }
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      body: parsed as T,
    };
  }

  /** @throws RefusedStream when the answer is not an event stream. */
  async open(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: JsonObject,
  ): Promise<EventStream> {
    const sent = this.request(method, path, { accept: 'text/event-stream', ...headers }, body);
    const response = await answered(sent);
    const type = response.headers['content-type'] ?? '';
    if (response.statusCode !== 200 || !type.startsWith('text/event-stream')) {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
      throw new RefusedStream(response.statusCode ?? 0, text);
    }
    return new EventStream(sent, response);
  }

  private request(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: JsonObject | string,
  ): ClientRequest {
    const payload =
      body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const sent = request(`${this.baseUrl}${path}`, {
      method,
      agent: false,
      headers: {
        ...(this.token === undefined ? {} : { 'x-user-token': this.token }),
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        ...headers,
      },
    });
    sent.end(payload);
    return sent;
  }
}

export class RefusedStream extends Error {
  constructor(
    readonly status: number,
    readonly text: string,
  ) {
    super(`no event stream: ${status} ${text}`);
  }
}

/** A server-sent event stream, read from the start whether or not somebody iterates. */
export class EventStream {
  readonly events: SseEvent[] = [];
  readonly comments: string[] = [];
  /** Of `retry:`, in ms. */
  retryMs: number | undefined;
  /** Resolves when the server has ended the stream; rejects when the connection was cut. */
  readonly ended: Promise<void>;
  private rest = '';
  private done = false;
  private wake: (() => void)[] = [];

  constructor(
    private readonly sent: ClientRequest,
    response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      this.read(chunk);
    });
    this.ended = new Promise((resolve, reject) => {
      response.once('end', resolve);
      response.once('error', reject);
      response.once('close', () => {
        reject(new Error('the stream was cut'));
      });
    });
    this.ended
      .catch(() => undefined)
      .finally(() => {
        this.done = true;
        this.wakeAll();
      });
    sent.on('error', () => undefined);
  }

  /** True once the stream has ended, cleanly or not. */
  get closed(): boolean {
    return this.done;
  }

  /** The client goes away, without a word. */
  disconnect(): void {
    this.sent.destroy();
  }

  /** Waits until `count` events have come; fails when the stream ends before. */
  async until(count: number): Promise<void> {
    while (this.events.length < count) {
      if (this.done) throw new Error(`the stream ended after ${this.events.length} events`);
      await this.next();
    }
  }

  /** Waits for an event that the test picks; fails when the stream ends before. */
  async find(pick: (event: SseEvent) => boolean): Promise<SseEvent> {
    for (let at = 0; ;) {
      while (at < this.events.length) {
        const event = this.events[at++]!;
        if (pick(event)) return event;
      }
      if (this.done) throw new Error(`the stream ended without it (${this.events.length} events)`);
      await this.next();
    }
  }

  private next(): Promise<void> {
    return new Promise((resolve) => {
      this.wake.push(resolve);
    });
  }

  private wakeAll(): void {
    this.wake.splice(0).forEach((resolve) => {
      resolve();
    });
  }

  private read(chunk: string): void {
    this.rest += chunk;
    const blocks = this.rest.split('\n\n');
    this.rest = blocks.pop()!;
    for (const block of blocks) this.readBlock(block);
    if (blocks.length > 0) this.wakeAll();
  }

  private readBlock(block: string): void {
    let id: string | undefined;
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const value = line.slice(colon + 1).replace(/^ /, '');
      if (colon === 0) this.comments.push(value);
      else if (line.startsWith('id:')) id = value;
      else if (line.startsWith('data:')) data.push(value);
      else if (line.startsWith('retry:')) this.retryMs = Number(value);
    }
    if (data.length === 0) return;
    this.events.push({
      id: id === undefined ? undefined : parseEventId(id),
      data: JSON.parse(data.join('\n')) as StreamResponse,
      at: performance.now(),
    });
  }
}

async function answered(sent: ClientRequest): Promise<IncomingMessage> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}
