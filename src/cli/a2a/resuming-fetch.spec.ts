import { describe, expect, it } from 'vitest';
import { CliError, EXIT } from './exit-code.js';
import { type ResumeOptions, resumingFetch } from './resuming-fetch.js';
import { StreamPlace } from './stream-place.js';

const FAST: ResumeOptions = { attempts: 3, delayMs: 1, maxDelayMs: 2, silenceMs: 50 };

interface Sent {
  readonly url: string;
  readonly lastEventId: string | null;
  readonly body: string | undefined;
}

type Answer = Response | Error | (() => Response);

/** A fetch that gives the answers in turn, the last one again and again, and notes the requests. */
function scripted(...answers: readonly Answer[]): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: (input, init) => {
      const answer = answers[Math.min(sent.length, answers.length - 1)]!;
      sent.push({
        url: String(input instanceof Request ? input.url : input),
        lastEventId: new Headers(init?.headers).get('last-event-id'),
        body: typeof init?.body === 'string' ? init.body : undefined,
      });
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve(answer instanceof Response ? answer : answer());
    },
  };
}

function sse(text: string, end: 'close' | 'break' | 'hang' = 'close'): Response {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new TextEncoder().encode(text));
    },
    pull: (controller) => {
      if (end === 'break') controller.error(new TypeError('terminated'));
      else if (end === 'close') controller.close();
      else return new Promise<never>(() => undefined);
      return undefined;
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });
}

const status = (state: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: {"statusUpdate":{"taskId":"t/1","status":{"state":"TASK_STATE_${state}"}}}\n\n`;
const WORKING = status('WORKING', '1-1');
const DONE = status('COMPLETED', '2-1');
const unreachable = new CliError(EXIT.unreachable, 'down');
const URL_STREAM = 'http://h/a2a/message:stream';

async function read(
  fetcher: typeof fetch,
  url = URL_STREAM,
  init: RequestInit = { method: 'POST', body: '{"message":{}}' },
  options = FAST,
): Promise<string> {
  return (await resumingFetch(fetcher, new StreamPlace(), options)(url, init)).text();
}

describe('resumingFetch', () => {
  it('should leave a response that is no event stream alone', async () => {
    const { fetch: inner } = scripted(Response.json({ a: 1 }));
    expect(await read(inner)).toBe('{"a":1}');
  });

  it('should ask once when the stream settles', async () => {
    const { fetch: inner, sent } = scripted(sse(WORKING + DONE));
    expect(await read(inner)).toContain('COMPLETED');
    expect(sent).toHaveLength(1);
  });

  it.each(['break', 'close', 'hang'] as const)(
    'should go on behind the last event after a %s',
    async (end) => {
      const { fetch: inner, sent } = scripted(sse(`${WORKING}data: half`, end), sse(DONE));
      const text = await read(inner);
      expect(text.match(/WORKING/g)).toHaveLength(1);
      expect(text).toContain('COMPLETED');
      expect(text).not.toContain('half');
      expect(sent[1]).toEqual({
        url: 'http://h/a2a/tasks/t%2F1:subscribe',
        lastEventId: '1-1',
        body: undefined,
      });
    },
  );

  it('should resubscribe a subscription at its own URL', async () => {
    const { fetch: inner, sent } = scripted(sse(WORKING, 'break'), sse(DONE));
    await read(inner, 'http://h/a2a/tasks/t%2F1:subscribe', { method: 'POST' });
    expect(sent[1]?.url).toBe('http://h/a2a/tasks/t%2F1:subscribe');
  });

  it.each([
    ['SendStreamingMessage', 'SubscribeToTask'],
    ['SubscribeToTask', 'SubscribeToTask'],
    ['message/stream', 'tasks/resubscribe'],
    ['tasks/resubscribe', 'tasks/resubscribe'],
  ])('should follow %s with %s under the same id', async (method, again) => {
    const { fetch: inner, sent } = scripted(sse(WORKING, 'break'), sse(DONE));
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params: { message: {} } });
    await read(inner, 'http://h/a2a', { method: 'POST', body });
    expect(sent[1]?.url).toBe('http://h/a2a');
    expect(JSON.parse(sent[1]?.body ?? '')).toEqual({
      jsonrpc: '2.0',
      id: 7,
      method: again,
      params: { id: 't/1' },
    });
  });

  it('should try again while the server is away or answers 5xx', async () => {
    const { fetch: inner, sent } = scripted(
      sse(WORKING, 'break'),
      unreachable,
      new Response('', { status: 500 }),
      sse(DONE),
    );
    expect(await read(inner)).toContain('COMPLETED');
    expect(sent).toHaveLength(4);
  });

  it('should give up after so many tries', async () => {
    const { fetch: inner, sent } = scripted(sse(WORKING, 'break'), unreachable);
    await expect(read(inner)).rejects.toMatchObject({ exitCode: EXIT.unreachable });
    expect(sent).toHaveLength(1 + FAST.attempts);
  });

  it('should give up on a server that repeats its snapshot and closes', async () => {
    const snapshot = 'data: {"task":{"id":"t/1","status":{"state":"TASK_STATE_WORKING"}}}\n\n';
    const { fetch: inner, sent } = scripted(() => sse(snapshot));
    await expect(read(inner)).rejects.toMatchObject({ exitCode: EXIT.unreachable });
    expect(sent).toHaveLength(1 + FAST.attempts);
  });

  it('should count its tries anew after an event', async () => {
    let seq = 1;
    const { fetch: inner, sent } = scripted(() => {
      seq += 1;
      return seq > 20 ? sse(DONE) : sse(status('WORKING', `${seq}-1`), 'break');
    });
    expect(await read(inner)).toContain('COMPLETED');
    expect(sent.length).toBeGreaterThan(FAST.attempts + 2);
  });

  it('should say so when the task is not there any more', async () => {
    const gone = Response.json({ error: { message: 'Task not found' } }, { status: 404 });
    const { fetch: inner } = scripted(sse(WORKING, 'break'), gone);
    await expect(read(inner)).rejects.toMatchObject({ exitCode: EXIT.refused });
  });

  it('should not resend the message when the task has no name yet', async () => {
    const { fetch: inner, sent } = scripted(sse(': hello\n\n', 'break'));
    await expect(read(inner)).rejects.toMatchObject({ exitCode: EXIT.unreachable });
    expect(sent).toHaveLength(1);
  });
});
