import { Agent, fetch } from 'undici';
import { traceHeaders } from '../../tracing/tracing.js';
import { ModelFault } from './model-fault.js';

/** More than any answer; a server that never ends must not fill our memory. */
const MOST_BYTES = 16 * 1024 * 1024;
const CONNECT_MS = 10_000;
/** Statuses that have no body, by the fetch standard. */
const BODILESS = [204, 205, 304];

/**
 * The HTTP side of one model: no redirect is followed (it would carry the key along), silence and
 * size are bounded, and an abort closes the connection.
 */
export class ModelHttp {
  private readonly agent: Agent;

  constructor(private readonly timeoutMs: number) {
    // Silence is measured below, where it is known whether anybody waits.
    this.agent = new Agent({
      connect: { timeout: Math.min(CONNECT_MS, timeoutMs) },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** As the providers call it: POST, headers in a record, a text as body. */
  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const watch = new Watch(this.timeoutMs, init.signal ?? undefined);
    const headers = Object.fromEntries(
      [
        ...new Headers({ ...Object.fromEntries(new Headers(init.headers)), ...traceHeaders() }),
      ].filter(([, value]) => value !== ''),
    );
    try {
      const response = await watch.during(
        fetch(input instanceof Request ? input.url : input, {
          method: init.method ?? 'POST',
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
          : watched(body as ReadableStream<Uint8Array>, watch);
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
  private readonly onAbort = (): void => {
    this.controller.abort();
  };

  constructor(
    private readonly timeoutMs: number,
    private readonly outer: AbortSignal | undefined,
  ) {
    if (outer?.aborted === true) this.controller.abort();
    else outer?.addEventListener('abort', this.onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** @throws ModelFault when it takes too long. */
  async during<T>(work: Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.controller.abort(new ModelFault('silent'));
    }, this.timeoutMs);
    try {
      return await work;
    } catch (error) {
      const { reason } = this.signal as { reason: unknown };
      throw reason instanceof ModelFault ? reason : error;
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

function watched(body: ReadableStream<Uint8Array>, watch: Watch): ReadableStream<Uint8Array> {
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
        if (size > MOST_BYTES) throw new ModelFault('too_big');
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
