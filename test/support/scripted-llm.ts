import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** One request as the server got it. */
export interface LlmRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as text, for a look at everything that left the gateway. */
  readonly text: string;
  readonly body: LlmBody;
  /** Resolves once the client has closed the connection before the answer was whole. */
  readonly gone: Promise<void>;
}

/** What of OpenAI's and Anthropic's requests the scripts look at. */
export interface LlmBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: unknown;
  }[];
  readonly tools?: readonly unknown[];
  readonly tool_choice?: unknown;
  readonly temperature?: number;
  readonly max_tokens?: number;
}

/** Answers one request; writes to the response and ends it, or breaks it. */
export type Script = (request: LlmRequest, response: ServerResponse) => Promise<void> | void;

/**
 * A model provider on loopback that follows a script: the first request gets the first answer, and so
 * on. A request beyond the script, or a script that throws (it did not receive what it must), gets a
 * 400 and is kept in `complaints`, so that a test can fail on it.
 */
export class ScriptedLlm {
  readonly requests: LlmRequest[] = [];
  readonly complaints: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private scripts: Script[],
  ) {}

  static async start(...scripts: Script[]): Promise<ScriptedLlm> {
    const server = createServer();
    const llm = new ScriptedLlm(server, scripts);
    server.on('connection', (socket) => {
      llm.sockets.add(socket);
      socket.once('close', () => llm.sockets.delete(socket));
    });
    server.on('request', (incoming, response) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const gone = new Promise<void>((resolve) => {
          response.once('close', () => {
            if (!response.writableFinished) resolve();
          });
        });
        const { url = '', headers } = incoming;
        void llm.answer(
          { path: url, headers, text, body: JSON.parse(text) as LlmBody, gone },
          response,
        );
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return llm;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  /** What answers from now on; what was asked before is forgotten. */
  script(...scripts: Script[]): void {
    this.scripts = scripts;
    this.requests.length = 0;
    this.complaints.length = 0;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Closes it. @throws Error when a request was not what the script was written for. */
  async end(): Promise<void> {
    await this.close();
    if (this.complaints.length > 0) throw new Error(this.complaints.join('\n'));
  }

  private async answer(request: LlmRequest, response: ServerResponse): Promise<void> {
    const script = this.scripts[this.requests.length];
    this.requests.push(request);
    try {
      if (script === undefined) throw new Error('a request that the script does not know');
      await script(request, response);
    } catch (error) {
      const complaint = error instanceof Error ? error.message : String(error);
      this.complaints.push(complaint);
      if (!response.headersSent) response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: complaint } }));
    }
  }
}

export const EVENT_STREAM = { 'content-type': 'text/event-stream' };

/** Any answer with a status and a JSON body. */
export function status(
  code: number,
  body: unknown = { error: { message: 'no' } },
  headers: Readonly<Record<string, string>> = {},
): Script {
  return (_, response) => {
    response.writeHead(code, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

/** An event stream of exactly these bytes, in these pieces, and then the end. */
export function bytes(...pieces: readonly (string | Uint8Array)[]): Script {
  return async (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    for (const piece of pieces) {
      response.write(piece);
      // A turn of the event loop, so that each piece is a packet of its own.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    response.end();
  };
}

/** The connection is reset after these bytes. */
export function cutAfter(...pieces: readonly string[]): Script {
  return async (_, response) => {
    response.writeHead(200, EVENT_STREAM);
    for (const piece of pieces) response.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.destroy();
  };
}

/** Sends the head and these bytes, then nothing until the client goes. */
export function hangAfter(...pieces: readonly string[]): Script {
  return async (request, response) => {
    response.writeHead(200, EVENT_STREAM);
    response.flushHeaders();
    for (const piece of pieces) response.write(piece);
    await request.gone;
  };
}

/** OpenAI's chat completion chunks. */
export const openai = {
  chunk(delta: object, finish: string | null = null): string {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    return openai.event({ id: 'c-1', object: 'chat.completion.chunk', model: 'm', choices });
  },
  event(document: unknown): string {
    return `data: ${JSON.stringify(document)}\n\n`;
  },
  done: 'data: [DONE]\n\n',
  /** A whole answer in words. */
  says(...texts: readonly string[]): Script {
    return bytes(
      ...texts.map((content) => openai.chunk({ content })),
      openai.chunk({}, 'stop'),
      openai.done,
    );
  },
  /** A whole answer that calls tools. */
  calls(...calls: readonly { id: string; name: string; args: unknown }[]): Script {
    return bytes(
      openai.chunk({
        tool_calls: calls.map(({ id, name, args }, index) => ({
          index,
          id,
          type: 'function',
          function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
        })),
      }),
      openai.chunk({}, 'tool_calls'),
      openai.done,
    );
  },
  /** The text of the results that a request carries. */
  resultsIn({ body }: LlmRequest): readonly string[] {
    return body.messages
      .filter(({ role }) => role === 'tool')
      .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
  },
};

/** Anthropic's message stream. */
export const anthropic = {
  event(type: string, data: object = {}): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  },
  get start(): string {
    return anthropic.event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    });
  },
  block(index: number, block: object, ...deltas: readonly object[]): string {
    return [
      anthropic.event('content_block_start', { index, content_block: block }),
      ...deltas.map((delta) => anthropic.event('content_block_delta', { index, delta })),
      anthropic.event('content_block_stop', { index }),
    ].join('');
  },
  end(stopReason: string): string {
    return (
      anthropic.event('message_delta', {
        delta: { stop_reason: stopReason, stop_sequence: null },
        usage: { output_tokens: 5 },
      }) + anthropic.event('message_stop')
    );
  },
  says(...texts: readonly string[]): Script {
    const deltas = texts.map((text) => ({ type: 'text_delta', text }));
    return bytes(
      anthropic.start,
      anthropic.block(0, { type: 'text', text: '' }, ...deltas),
      anthropic.end('end_turn'),
    );
  },
  calls(...calls: readonly { id: string; name: string; args: unknown }[]): Script {
    return bytes(
      anthropic.start,
      ...calls.map(({ id, name, args }, index) =>
        anthropic.block(
          index,
          { type: 'tool_use', id, name, input: {} },
          ...JSON.stringify(args)
            .split(/(?<=[:,])/)
            .map((partial) => ({ type: 'input_json_delta', partial_json: partial })),
        ),
      ),
      anthropic.end('tool_use'),
    );
  },
  resultsIn({ body }: LlmRequest): readonly string[] {
    return body.messages
      .flatMap(({ content }) => (Array.isArray(content) ? (content as { type: string }[]) : []))
      .filter(({ type }) => type === 'tool_result')
      .map((block) => JSON.stringify(block));
  },
};
