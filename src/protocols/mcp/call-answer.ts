import type { OutgoingHttpHeaders } from 'node:http';
import type { RequestId } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import { SseWriter, type SseWriterOptions } from '../sse/sse-writer.js';
import type { AnswerForm } from './accept.js';

/**
 * A client that takes both forms gets JSON when its call is answered within this; later the head of
 * a stream goes out, so that whoever waits sees a sign of life long before any of them gives up.
 */
const GRACE_MS = 250;

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  // Nginx would otherwise hold events back until its buffer is full.
  'x-accel-buffering': 'no',
};
const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** The response to one call: a JSON body, or an event stream from when there is anything to tell. */
export class CallAnswer {
  private writer: SseWriter | undefined;
  private grace: NodeJS.Timeout | undefined;
  private over = false;

  constructor(
    private readonly reply: FastifyReply,
    private readonly id: RequestId,
    private readonly form: AnswerForm,
    private readonly options: SseWriterOptions,
  ) {}

  /** True once the head of a stream is out: an error can be no HTTP status any more. */
  get streams(): boolean {
    return this.writer !== undefined;
  }

  /** The call's work has begun: a stream may open. */
  begin(): void {
    if (this.form === 'json' || this.over || this.writer !== undefined) return;
    this.grace = setTimeout(() => {
      void this.open().write(': working\n\n');
    }, GRACE_MS);
  }

  /** Tells something before the answer; resolves when the client can take more. */
  async notify(notification: { method: string; params: Record<string, unknown> }): Promise<void> {
    if (this.over) return;
    await this.open().write(eventOf(JSON.stringify({ jsonrpc: '2.0', ...notification })));
  }

  result(result: object): void {
    this.end(
      `{"result":${JSON.stringify(result)},"jsonrpc":"2.0","id":${JSON.stringify(this.id)}}`,
    );
  }

  /** An error without a word about its cause. */
  fail(): void {
    const error = { code: -32603, message: 'Internal error' };
    this.end(JSON.stringify({ jsonrpc: '2.0', id: this.id, error }));
  }

  /** Without an answer: it is given elsewhere. */
  withdraw(): void {
    this.over = true;
    clearTimeout(this.grace);
  }

  private end(json: string): void {
    this.withdraw();
    if (this.writer !== undefined) {
      void this.writer.write(eventOf(json));
      this.writer.end();
      return;
    }
    const body = this.form === 'sse' ? eventOf(json) : json;
    void this.reply.headers(this.form === 'sse' ? STREAM_HEADERS : JSON_HEADERS).send(body);
  }

  private open(): SseWriter {
    if (this.writer !== undefined) return this.writer;
    clearTimeout(this.grace);
    const { reply } = this;
    reply.hijack();
    reply.raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...STREAM_HEADERS });
    this.writer = new SseWriter(reply.raw, this.options, () => undefined);
    return this.writer;
  }
}

function eventOf(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
