import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { readSseBlocks } from './a2a/sse-block.js';

export interface StdioBridgeOptions {
  readonly endpoint: URL;
  readonly token: string | undefined;
  /** Hands a message to the client. */
  readonly send: (message: JSONRPCMessage) => Promise<void>;
  /** Tells the user of the client what has no place in the protocol. */
  readonly warn: (text: string) => void;
}

type Id = string | number;

interface InFlight {
  readonly modern: boolean;
  readonly controller: AbortController;
  /** Resolves once the gateway has taken the request. */
  readonly taken: Promise<void>;
}

const VERSION_META = 'io.modelcontextprotocol/protocolVersion';

/** The param of a 2026-07-28 request that the Mcp-Name header repeats. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

/**
 * Passes the messages of a local client on to a gateway, each as a POST of its own, and what comes
 * back on to the client. Both eras; the gateway answers, the bridge only knows what HTTP adds to the
 * messages. On stdio a notification cancels a request in either era; in 2026-07-28 the gateway is
 * told by the end of the response.
 */
export class StdioBridge {
  /** The revision that `initialize` agreed on. */
  private version: string | undefined;
  private readonly inFlight = new Map<Id, InFlight>();

  constructor(private readonly options: StdioBridgeOptions) {}

  /** Resolves when the message has been answered. Never rejects. */
  async forward(message: JSONRPCMessage): Promise<void> {
    const cancelled = 'method' in message ? cancelledBy(message) : undefined;
    if (cancelled !== undefined) return this.cancel(message, cancelled);
    if (!('method' in message) || !('id' in message)) return this.notify(message);
    const { id } = message;
    let taken = (): void => undefined;
    const controller = new AbortController();
    this.inFlight.set(id, {
      modern: versionIn(message) !== undefined,
      controller,
      taken: new Promise((resolve) => {
        taken = resolve;
      }),
    });
    try {
      const response = await this.post(message, controller.signal);
      taken();
      await this.passOn(response, id);
    } catch (error) {
      if (!controller.signal.aborted) await this.fail(id, `${this.place()}: ${reasonOf(error)}`);
    } finally {
      taken();
      this.inFlight.delete(id);
    }
  }

  /** The client is gone: what it waits for is nobody's. */
  close(): void {
    for (const { controller } of this.inFlight.values()) controller.abort();
  }

  private async cancel(message: JSONRPCMessage, id: Id): Promise<void> {
    const request = this.inFlight.get(id);
    if (request === undefined) return;
    if (request.modern) {
      request.controller.abort();
      return;
    }
    // The gateway cannot find what it does not know yet.
    await request.taken;
    await this.notify(message);
  }

  private async notify(message: JSONRPCMessage): Promise<void> {
    try {
      const response = await this.post(message, undefined);
      await response.body?.cancel();
      if (!response.ok) this.options.warn(`${this.place()}: HTTP ${response.status}`);
    } catch (error) {
      this.options.warn(`${this.place()}: ${reasonOf(error)}`);
    }
  }

  private post(message: JSONRPCMessage, signal: AbortSignal | undefined): Promise<Response> {
    const { endpoint, token } = this.options;
    return fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...this.headersOf(message),
      },
      body: JSON.stringify(message),
      // The token goes to no other place.
      redirect: 'error',
      ...(signal === undefined ? {} : { signal }),
    });
  }

  private headersOf(message: JSONRPCMessage): Readonly<Record<string, string>> {
    const modern = versionIn(message);
    const version = modern ?? this.version;
    if (version === undefined) return {};
    if (modern === undefined || !('method' in message)) return { 'mcp-protocol-version': version };
    const name = message.params?.[NAMED_BY[message.method] ?? ''];
    return {
      'mcp-protocol-version': version,
      'mcp-method': message.method,
      ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
    };
  }

  private async passOn(response: Response, id: Id): Promise<void> {
    const type = response.headers.get('content-type') ?? '';
    if (response.body !== null && type.startsWith('text/event-stream')) {
      let answered = false;
      for await (const { data } of readSseBlocks(response.body)) {
        const message = JSON.parse(data) as JSONRPCMessage;
        answered ||= isAnswerTo(message, id);
        await this.give(message);
      }
      if (!answered) await this.fail(id, `${this.place()}: the connection broke before the answer`);
      return;
    }
    const text = await response.text();
    const message = parsed(text);
    if (message !== undefined && 'error' in message) {
      // Clients of 2026-07-28 keep what answers their first request to themselves.
      if (!response.ok) this.options.warn(`${this.place()}: ${message.error.message}`);
      await this.give({ ...message, id });
    } else if (response.ok && message !== undefined) await this.give(message);
    else await this.fail(id, `${this.place()}: HTTP ${response.status}`);
  }

  private async give(message: JSONRPCMessage): Promise<void> {
    if ('result' in message && typeof message.result['protocolVersion'] === 'string') {
      this.version = message.result['protocolVersion'];
    }
    await this.options.send(message);
  }

  private fail(id: Id, text: string): Promise<void> {
    this.options.warn(text);
    return this.options.send({ jsonrpc: '2.0', id, error: { code: -32_000, message: text } });
  }

  private place(): string {
    return `the gateway at ${this.options.endpoint.origin}`;
  }
}

function versionIn(message: JSONRPCMessage): string | undefined {
  if (!('method' in message)) return undefined;
  const version = message.params?._meta?.[VERSION_META];
  return typeof version === 'string' ? version : undefined;
}

function cancelledBy(message: { method: string; params?: object | undefined }): Id | undefined {
  if (message.method !== 'notifications/cancelled') return undefined;
  const { requestId } = (message.params ?? {}) as { requestId?: unknown };
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : undefined;
}

function isAnswerTo(message: JSONRPCMessage, id: Id): boolean {
  return !('method' in message) && message.id === id;
}

function parsed(text: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'jsonrpc' in value
      ? (value as JSONRPCMessage)
      : undefined;
  } catch {
    return undefined;
  }
}

/** As 2026-07-28 writes what a header cannot hold (SEP-2243). */
function headerText(text: string): string {
  const plain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text);
  return plain && !text.startsWith('=?base64?')
    ? text
    : `=?base64?${Buffer.from(text).toString('base64')}?=`;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : error.message;
}
