import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from './exit-code.js';
import { formatSseBlock, readSseBlocks } from './sse-block.js';
import type { StreamPlace } from './stream-place.js';

export interface ResumeOptions {
  /** Tries in a row that bring nothing new. */
  readonly attempts: number;
  /** Before the second try; doubles up to `maxDelayMs`. */
  readonly delayMs: number;
  readonly maxDelayMs: number;
  /** A stream that is silent for so long is broken: servers send a comment every 15 s or so. */
  readonly silenceMs: number;
  /** Called before the second try and later ones: the first one goes unnoticed. */
  readonly onRetry?: (taskId: string) => void;
}

/** Half a minute of tries: longer than an instance's lease, shorter than anybody's patience. */
export const RESUME: ResumeOptions = {
  attempts: 12,
  delayMs: 200,
  maxDelayMs: 4000,
  silenceMs: 60_000,
};

/**
 * A fetch whose event streams outlive their connection. When one ends before the task has settled
 * (the instance died, a proxy timed out, the server drains) it subscribes again with Last-Event-ID
 * and goes on in the same response, so the A2A SDK above notices nothing. Knows the streaming calls
 * of A2A: REST 1.0, JSON-RPC 1.0 and JSON-RPC 0.3.
 */
export function resumingFetch(
  inner: typeof fetch,
  place: StreamPlace,
  options: ResumeOptions = RESUME,
): typeof fetch {
  return async (input, init) => {
    const call: StreamCall = {
      url: String(input instanceof Request ? input.url : input),
      headers: new Headers(init?.headers),
      body: typeof init?.body === 'string' ? init.body : undefined,
      signal: init?.signal ?? new AbortController().signal,
    };
    const response = await inner(input, init);
    if (!isEventStream(response)) return response;
    const blocks = resume(inner, call, response, place, options);
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { done, value } = await blocks.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      cancel: async () => {
        await blocks.return(undefined);
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  };
}

interface StreamCall {
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

async function* resume(
  inner: typeof fetch,
  call: StreamCall,
  first: Response,
  place: StreamPlace,
  options: ResumeOptions,
): AsyncGenerator<string, undefined> {
  let response: Response | undefined = first;
  let failures = 0;
  for (;;) {
    if (response !== undefined) {
      for await (const block of readUntilBroken(response, options.silenceMs)) {
        if (place.see(block)) failures = 0;
        yield formatSseBlock(block);
      }
      if (place.settled || call.signal.aborted) return undefined;
    }
    if (place.taskId === undefined) {
      throw new CliError(EXIT.unreachable, 'The stream broke off before it named its task');
    }
    failures += 1;
    if (failures > options.attempts) {
      throw new CliError(EXIT.unreachable, 'The stream broke off and could not be taken up again');
    }
    if (failures > 1) {
      options.onRetry?.(place.taskId);
      await pause(failures - 2, options, call.signal);
    }
    response = await subscribeAgain(inner, call, place, place.taskId);
  }
}

/** Ends quietly where the connection ends, breaks or falls silent. */
async function* readUntilBroken(
  response: Response,
  silenceMs: number,
): ReturnType<typeof readSseBlocks> {
  if (response.body === null) return;
  try {
    yield* readSseBlocks(endWhenSilent(response.body, silenceMs));
  } catch {
    return;
  }
}

function endWhenSilent(
  body: ReadableStream<Uint8Array>,
  silenceMs: number,
): ReadableStream<Uint8Array> {
  let timer: NodeJS.Timeout | undefined;
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => {
        timer = setTimeout(() => {
          controller.terminate();
        }, silenceMs);
        timer.unref();
      },
      transform: (chunk, controller) => {
        timer?.refresh();
        controller.enqueue(chunk);
      },
      flush: () => {
        clearTimeout(timer);
      },
    }),
  );
}

async function pause(
  doublings: number,
  { delayMs, maxDelayMs }: ResumeOptions,
  signal: AbortSignal,
): Promise<void> {
  await sleep(Math.min(delayMs * 2 ** doublings, maxDelayMs), undefined, { signal });
}

/** Undefined when it is worth another try. */
async function subscribeAgain(
  inner: typeof fetch,
  call: StreamCall,
  place: StreamPlace,
  taskId: string,
): Promise<Response | undefined> {
  const headers = new Headers(call.headers);
  if (place.lastEventId !== undefined) headers.set('last-event-id', place.lastEventId);
  const { url, body } = subscription(call, taskId);
  let response: Response;
  try {
    response = await inner(url, {
      method: 'POST',
      headers,
      signal: call.signal,
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    if (error instanceof CliError && error.exitCode === EXIT.unreachable) return undefined;
    throw error;
  }
  if (isEventStream(response)) return response;
  if (response.status >= 500) return undefined;
  throw new CliError(
    EXIT.refused,
    `The stream broke off, and its task cannot be subscribed to: ${await response.text()}`,
  );
}

/** The call that subscribes to the task, in the binding and version of the first one. */
function subscription(
  { url, body }: StreamCall,
  taskId: string,
): { url: string; body: string | undefined } {
  const rpc =
    body === undefined ? undefined : (JSON.parse(body) as Readonly<Record<string, unknown>>);
  if (rpc?.['jsonrpc'] !== undefined) {
    const legacy = String(rpc['method']).includes('/');
    const method = legacy ? 'tasks/resubscribe' : 'SubscribeToTask';
    return { url, body: JSON.stringify({ ...rpc, method, params: { id: taskId } }) };
  }
  const base = url.replace(/\/(?:message:stream|tasks\/[^/]+:subscribe)$/, '');
  return { url: `${base}/tasks/${encodeURIComponent(taskId)}:subscribe`, body: undefined };
}

function isEventStream(response: Response): boolean {
  const type = response.headers.get('content-type') ?? '';
  return response.ok && type.toLowerCase().startsWith('text/event-stream');
}
