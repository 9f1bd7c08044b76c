import { Agent, request } from 'undici';
import type { HttpSourceConfig } from '../../config/config.types.js';
import { type Span, type SpanFacts, traced, traceHeaders } from '../../tracing/tracing.js';
import { authorizationOf } from '../../outbound/authorization.js';
import { cleanText } from './clean-text.js';
import { SourceError, type SourceFault } from './source-error.js';
import { ShapeError } from './shape.js';
import type { SourceInfo } from './source-info.js';

interface SourceCall {
  readonly method: 'GET' | SourceWrite['method'];
  readonly body?: unknown;
}

/** Enough for the error document of any API we speak. */
const ERROR_BODY_BYTES = 64 * 1024;
/** Abort reason of our own clock, to be told from the caller's. */
const LATE = Symbol('late');

/** What reads and writes at a source, however many members it has. */
export interface SourceCalls {
  get<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    read: (body: unknown) => T,
    signal: AbortSignal,
  ): Promise<T>;
  ask<T>(path: string, body: unknown, read: (body: unknown) => T, signal: AbortSignal): Promise<T>;
  write<T>(write: SourceWrite, read: (body: unknown) => T): Promise<T>;
}

/** A request that changes something. */
export interface SourceWrite {
  readonly method: 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

/**
 * GETs JSON from one source: with its credentials, within its time and size bounds, following no
 * redirect. Every failure is a SourceError.
 */
export class SourceHttp implements SourceCalls {
  private readonly agent: Agent;
  private readonly writer: Agent;
  private readonly base: URL;
  private readonly headers: Readonly<Record<string, string>>;

  constructor(
    private readonly info: SourceInfo,
    private readonly config: HttpSourceConfig,
  ) {
    this.base = new URL(config.url);
    this.headers = headersOf(config, this.base);
    const { ca, cert, key, serverName } = config.tls ?? {};
    const times = {
      connect: {
        timeout: config.timeoutMs,
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        ...(serverName === undefined ? {} : { servername: serverName }),
      },
      headersTimeout: config.timeoutMs,
      bodyTimeout: config.timeoutMs,
    };
    this.agent = new Agent({ ...times, connections: 8 });
    // A connection of its own for each: one that was kept may be dead, and a write is never sent twice.
    this.writer = new Agent({ ...times, pipelining: 0 });
  }

  /**
   * @param read turns the parsed JSON into what the caller wants; a ShapeError of it becomes a
   * SourceError.
   * @throws SourceError; the signal's reason when that aborts.
   */
  async get<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    read: (body: unknown) => T,
    signal: AbortSignal,
  ): Promise<T> {
    return this.bounded(async (bound) => read(await this.fetch(path, query, bound)), signal);
  }

  /** POSTs something that only reads, such as a query with a body. @throws like `get`. */
  async ask<T>(
    path: string,
    body: unknown,
    read: (body: unknown) => T,
    signal: AbortSignal,
  ): Promise<T> {
    const call = { method: 'POST', path, body } as const;
    return this.bounded(async (bound) => read(await this.fetch(path, {}, bound, call)), signal);
  }

  /** Sends a write, once. Only its own clock ends it early. @throws SourceError */
  async write<T>(write: SourceWrite, read: (body: unknown) => T): Promise<T> {
    return this.bounded(
      async (bound) => read(await this.fetch(write.path, {}, bound, write, this.writer)),
      new AbortController().signal,
    );
  }

  /** What is said of it when others did not wait for its answer. */
  late(afterMs: number): SourceError {
    return this.fault({ kind: 'timeout', seconds: afterMs / 1000 });
  }

  async close(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.writer.destroy()]);
  }

  private async bounded<T>(
    call: (bound: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    signal.throwIfAborted();
    const bound = new AbortController();
    const onAbort = (): void => {
      bound.abort();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const timer = setTimeout(() => {
      bound.abort(LATE);
    }, this.config.timeoutMs);
    try {
      return await call(bound.signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SourceError) throw error;
      const late = bound.signal.reason === LATE;
      throw this.fault(faultOf(error, late, this.config.timeoutMs), error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }

  private async fetch(
    path: string,
    query: Readonly<Record<string, string>>,
    signal: AbortSignal,
    call: SourceCall = { method: 'GET' },
    dispatcher = this.agent,
  ): Promise<unknown> {
    const url = new URL(this.base);
    url.pathname = this.base.pathname.replace(/\/+$/, '') + path;
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return traced(call.method, { kind: 'client', facts: this.spanFacts(call.method) }, (span) =>
      this.send(url, call, dispatcher, signal, span),
    );
  }

  private spanFacts(method: string): SpanFacts {
    const { hostname, port, protocol } = this.base;
    return {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
      'nightjar.source': this.info.name,
      'nightjar.source_type': this.info.type,
    };
  }

  private async send(
    url: URL,
    call: SourceCall,
    dispatcher: Agent,
    signal: AbortSignal,
    span: Span,
  ): Promise<unknown> {
    const json = call.body === undefined ? {} : { 'content-type': 'application/json' };
    const { statusCode, body } = await request(url, {
      method: call.method,
      dispatcher,
      headers: { ...this.headers, ...json, ...traceHeaders() },
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal,
    });
    span.set({ 'http.response.status_code': statusCode });
    const max = statusCode === 200 ? this.config.maxBytes : ERROR_BODY_BYTES;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      // Leaving the loop destroys the body, and with it the connection.
      if (size > max) break;
      chunks.push(chunk);
    }
    if (statusCode !== 200) throw this.refusal(statusCode, size > max ? '' : textOf(chunks));
    if (size > max) throw this.fault({ kind: 'too_big', bytes: max });
    // Alertmanager answers a DELETE with nothing.
    if (size === 0 && call.method !== 'GET') return undefined;
    try {
      return JSON.parse(textOf(chunks)) as unknown;
    } catch (error) {
      throw this.fault({ kind: 'not_json' }, error);
    }
  }

  private refusal(status: number, body: string): SourceError {
    if (status >= 300 && status < 400) return this.fault({ kind: 'redirect', status });
    // Only these carry words about the request itself (Prometheus: bad expression, Alertmanager: bad
    // matcher); the rest may be a page of some proxy.
    const words = status === 400 || status === 422 ? errorWords(body) : undefined;
    if (words !== undefined) return this.fault({ kind: 'refused', text: cleanText(words, 300) });
    return this.fault({ kind: 'http', status });
  }

  private fault(fault: SourceFault, cause?: unknown): SourceError {
    return new SourceError(this.info, fault, cause === undefined ? undefined : { cause });
  }
}

function headersOf(config: HttpSourceConfig, base: URL): Readonly<Record<string, string>> {
  const userinfo =
    base.username === ''
      ? undefined
      : {
          kind: 'basic' as const,
          username: decodeURIComponent(base.username),
          password: decodeURIComponent(base.password),
        };
  // undici must not see them, and neither must an error text made from the URL.
  base.username = '';
  base.password = '';
  const auth = config.auth ?? userinfo;
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': 'nightjar' };
  for (const [name, value] of Object.entries(config.headers)) headers[name.toLowerCase()] = value;
  if (auth !== undefined) headers['authorization'] = authorizationOf(auth);
  return headers;
}

function faultOf(error: unknown, late: boolean, timeoutMs: number): SourceFault {
  if (error instanceof ShapeError) return { kind: 'unexpected', what: error.message };
  const code = codeOf(error);
  if (late || /^UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT$/.test(code)) {
    return { kind: 'timeout', seconds: timeoutMs / 1000 };
  }
  return { kind: 'unreachable', code };
}

function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (typeof error === 'object' && error !== null && 'code' in error) {
    if (typeof error.code === 'string' && error.code !== '') return error.code;
  }
  return 'connection failed';
}

function errorWords(body: string): string | undefined {
  try {
    const parsed = JSON.parse(body) as unknown;
    if (typeof parsed === 'string') return parsed;
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const words =
      'error' in parsed ? parsed.error : 'message' in parsed ? parsed.message : undefined;
    return typeof words === 'string' ? words : undefined;
  } catch {
    return undefined;
  }
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8');
}
