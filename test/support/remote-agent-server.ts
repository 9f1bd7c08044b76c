import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Record<string, unknown>;
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/**
 * An HTTP server that plays a remote agent: a card, and whatever the test makes it answer to the
 * rest. Keeps every request that came.
 */
export class RemoteAgentServer {
  readonly seen: SeenRequest[] = [];
  card: unknown = undefined;
  /** Of the card; who has it already gets a 304 without one. */
  etag: string | undefined;
  answer: Answer = (_request, response) => {
    response.writeHead(404).end();
  };

  private constructor(private readonly server: Server) {}

  static async start(): Promise<RemoteAgentServer> {
    const server = createServer();
    const agent = new RemoteAgentServer(server);
    server.on('request', (request, response) => {
      void agent.take(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    agent.card = agent.cardOf({});
    return agent;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** A 1.0 card with one skill, streaming over JSON-RPC. */
  cardOf(over: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return {
      name: 'double',
      version: '1',
      supportedInterfaces: [
        { url: `${this.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: true },
      skills: [{ id: 'look', name: 'Look', description: 'looks', tags: [] }],
      ...over,
    };
  }

  /** Bodies of the calls, without the fetches of the card. */
  get calls(): readonly SeenRequest[] {
    return this.seen.filter(({ path }) => !path.endsWith('.json'));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
    const { method = '', url = '', headers } = request;
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    const seen = { method, path: url, headers, body };
    this.seen.push(seen);
    if (url.endsWith('/agent-card.json') && this.card !== undefined) {
      const { etag } = this;
      if (etag !== undefined && headers['if-none-match'] === etag) {
        response.writeHead(304, { etag }).end();
        return;
      }
      const tag = etag === undefined ? {} : { etag };
      response.writeHead(200, { 'content-type': 'application/json', ...tag });
      response.end(JSON.stringify(this.card));
      return;
    }
    await this.answer(seen, response);
  }
}

/** Sends events as a JSON-RPC stream; ends it unless `open`. */
export function streamed(
  { body }: SeenRequest,
  response: ServerResponse,
  events: readonly unknown[],
  open = false,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const result of events) {
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: body['id'], result })}\n\n`);
  }
  if (!open) response.end();
}

export function answered({ body }: SeenRequest, response: ServerResponse, result: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: body['id'], result }));
}

export function refusedWith(
  { body }: SeenRequest,
  response: ServerResponse,
  code: number,
  message: string,
): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: body['id'], error: { code, message } }));
}

/** A task document in a state, with parts of one artifact. */
export function taskOf(
  state: string,
  parts: readonly unknown[] = [],
  over: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return {
    id: 'far-task',
    contextId: 'far-context',
    status: { state, timestamp: new Date().toISOString() },
    ...(parts.length === 0 ? {} : { artifacts: [{ artifactId: 'a', parts }] }),
    ...over,
  };
}

export function statusOf(state: string, text?: string): Record<string, unknown> {
  const message = { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }] };
  return {
    statusUpdate: {
      taskId: 'far-task',
      contextId: 'far-context',
      status: { state, ...(text === undefined ? {} : { message }) },
    },
  };
}

export function pieceOf(text: string, append = true): Record<string, unknown> {
  return {
    artifactUpdate: {
      taskId: 'far-task',
      contextId: 'far-context',
      artifact: { artifactId: 'a', parts: [{ text }] },
      append,
    },
  };
}
