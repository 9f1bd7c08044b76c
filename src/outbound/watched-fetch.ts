import type { LookupFunction } from 'node:net';
import { Agent, fetch } from 'undici';
import { traceHeaders } from '../tracing/tracing.js';

/** Statuses that have no body, by the fetch standard. */
const BODILESS = [204, 205, 304];

export interface WatchedFetchOptions {
  readonly connectMs: number;
  /** How names become addresses; absent: as the system has it. */
  readonly lookup?: LookupFunction;
  /** For so long a server may be silent: before its first byte and between two. */
  readonly silenceMs: number;
  /** Of one answer. */
  readonly maxBytes: number;
  /** Made of what goes wrong here. */
  readonly fault: (kind: 'silent' | 'too_big') => Error;
}

/**
 * The HTTP side of one server that is not ours: no redirect is followed (it would carry the
 * credentials along), silence and size are bounded, and an abort closes the connection.
 */
export class WatchedFetch {
  private readonly agent: Agent;

  constructor(private readonly options: WatchedFetchOptions) {
    const { connectMs, lookup } = options;
    // Silence is measured below, where it is known whether anybody waits.
    this.agent = new Agent({
      connect: { timeout: connectMs, ...(lookup === undefined ? {} : { lookup }) },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** As libraries call it: a text as body, or none. @throws what `fault` makes, too. */
  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const watch = new Watch(this.options, init.signal ?? undefined);
    const headers = Object.fromEntries(
      [
        ...new Headers({ ...Object.fromEntries(new Headers(init.headers)), ...traceHeaders() }),
      ].filter(([, value]) => value !== ''),
    );
    try {
      const response = await watch.during(
        fetch(input instanceof Request ? input.url : input, {
          method: init.method ?? 'GET',
          headers,
          body: typeof init.body === 'string' ? init.body : null,
          redirect: 'manual',
          dispatcher: this.agent,
          signal: watch.signal,
        }),
      );
      const { status, statusText, body } = response;
      const bounded =
        body === null || BODILESS.includes(status)
          ? null
          : watched(body as ReadableStream<Uint8Array>, watch, this.options);
      if (bounded === null) watch.end();
      return new Response(bounded, { status, statusText, headers: [...response.headers] });
    } catch (error) {
      watch.end();
      throw error;
    }
  };

  /** Ends every connection, also those in use. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/** Ends a request when it is not wanted any more, or when the server is silent for too long. */
class Watch {
  private readonly controller = new AbortController();
  private silent: Error | undefined;
  private readonly onAbort = (): void => {
    this.controller.abort();
  };

  constructor(
    private readonly options: WatchedFetchOptions,
    private readonly outer: AbortSignal | undefined,
  ) {
    if (outer?.aborted === true) this.controller.abort();
    else outer?.addEventListener('abort', this.onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** @throws the fault `silent` when it takes too long. */
  async during<T>(work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.silent = this.options.fault('silent');
      this.controller.abort(this.silent);
    }, this.options.silenceMs);
    try {
      return await work;
    } catch (error) {
      throw this.silent ?? error;
    } finally {
      clearTimeout(timer);
    }
  }

  cancel(): void {
    this.controller.abort();
    this.end();
  }

  end(): void {
    this.outer?.removeEventListener('abort', this.onAbort);
  }
}

function watched(
  body: ReadableStream<Uint8Array>,
  watch: Watch,
  { maxBytes, fault }: WatchedFetchOptions,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let size = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await watch.during(reader.read());
        if (done) {
          watch.end();
          controller.close();
          return;
        }
        size += value.length;
        if (size > maxBytes) throw fault('too_big');
        controller.enqueue(value);
      } catch (error) {
        watch.cancel();
        controller.error(error);
      }
    },
    cancel() {
      watch.cancel();
    },
  });
}
