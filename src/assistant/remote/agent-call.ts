import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@a2a-js/sdk/client';
import type { Message, Part, StreamResponse } from '../../domain/a2a.js';
import { FILE_BYTES } from '../../domain/file-ref.js';
import { endsTask } from '../../domain/stop-reason.js';
import { isSettled } from '../../domain/task-state.js';
import { cleanText } from '../sources/clean-text.js';
import { sendRequest, toAnswer, toEvent, toTask } from './a2a-wire.js';
import { AnswerTracker, type News } from './answer-tracker.js';
import { RemoteError } from './remote-error.js';

const CANCEL_MS = 5000;
/** A call that is to end before its task has a name waits so long for the name. */
const NAME_MS = 2000;
const POLL = { firstMs: 500, mostMs: 5000 } as const;
/** Tries in a row that bring nothing, before a broken connection counts as a failure. */
const MOST_FAILURES = 8;
const WORDS = 300;

type Seen = StreamResponse | { readonly message: Message };

export interface AgentCallOptions {
  readonly remote: string;
  readonly client: Client;
  readonly streaming: boolean;
  /** For files, which lie beside the task; pinned and bounded as everything else. */
  readonly fetch: typeof fetch;
  readonly maxSeconds: number;
  readonly failure: (error: unknown) => RemoteError;
}

export interface AgentQuestion {
  /** Goes on following this task instead of sending anything. */
  readonly resume?: string;
  /** What is sent. An id that stays the same when it is sent again. */
  readonly messageId: string;
  readonly text: string;
  readonly contextId?: string;
  /** The task whose question this answers. */
  readonly taskId?: string;
  readonly lang?: string;
  /** Who asks this skill; told as metadata, for agents that route by it. */
  readonly skill?: string;
}

/** What a call brings while it goes on. */
export type CallEvent =
  | News
  /** The remote's names for the task and its conversation, as soon as they are known. */
  | { readonly kind: 'named'; readonly taskId: string; readonly contextId: string };

/**
 * One question to a remote agent, from the message to the end of its task: streamed where the agent
 * can, else polled; a broken stream is taken up again by subscribing, and where that is refused, by
 * polling. An abort that ends our task cancels the remote one.
 */
export class AgentCall {
  readonly answer = new AnswerTracker();
  private readonly stop = new AbortController();
  private readonly late: NodeJS.Timeout;
  private isLate = false;

  constructor(
    private readonly options: AgentCallOptions,
    private readonly question: AgentQuestion,
    private readonly signal: AbortSignal,
  ) {
    this.late = setTimeout(() => {
      this.isLate = true;
      this.stop.abort();
    }, options.maxSeconds * 1000);
  }

  /**
   * @throws RemoteError, whose `isUndone` says whether anything was set in motion; the signal's
   * reason when it aborts.
   */
  async *events(): AsyncGenerator<CallEvent, undefined> {
    this.signal.throwIfAborted();
    const onAbort = (): void => {
      this.give();
    };
    this.signal.addEventListener('abort', onAbort, { once: true });
    let isNamed = false;
    try {
      for await (const event of this.follow()) {
        const { taskId, contextId } = this.answer;
        const news = this.answer.see(event);
        const now = this.answer;
        if (
          now.taskId !== undefined &&
          (!isNamed || now.taskId !== taskId || now.contextId !== contextId)
        ) {
          isNamed = true;
          yield { kind: 'named', taskId: now.taskId, contextId: now.contextId ?? '' };
        }
        if (this.signal.aborted) break;
        for (const one of news) yield* this.withFile(one);
      }
      this.signal.throwIfAborted();
      return undefined;
    } catch (error) {
      this.signal.throwIfAborted();
      if (this.isLate) {
        throw new RemoteError(this.options.remote, {
          kind: 'late',
          seconds: this.options.maxSeconds,
        });
      }
      throw this.faultOf(error);
    } finally {
      clearTimeout(this.late);
      this.signal.removeEventListener('abort', onAbort);
      await this.end();
    }
  }

  /** Ends the call: at once when its task has a name, else when it gets one or after a moment. */
  private give(): void {
    const wait = this.answer.taskId === undefined && endsTask(this.signal) ? NAME_MS : 0;
    if (wait === 0) this.stop.abort();
    else {
      setTimeout(() => {
        this.stop.abort();
      }, wait).unref();
    }
  }

  /** Cancels the remote task, if ours has ended before it. */
  private async end(): Promise<void> {
    const { taskId, state } = this.answer;
    const isOver = state !== undefined && isSettled(state);
    const isUnwanted = endsTask(this.signal) || this.isLate;
    if (taskId !== undefined && !isOver && isUnwanted) await this.cancel(taskId);
    this.stop.abort();
  }

  private async cancel(taskId: string): Promise<void> {
    const signal = AbortSignal.timeout(CANCEL_MS);
    try {
      const { client } = this.options;
      const task = toTask(
        await client.cancelTask({ id: taskId, tenant: '', metadata: {} }, { signal }),
      );
      this.answer.see({ task });
    } catch {
      // It may have ended meanwhile, or not know how: who reads the state is told that it is open.
    }
  }

  private async *follow(): AsyncGenerator<Seen, undefined> {
    const { resume } = this.question;
    let failures = 0;
    let canSubscribe = this.options.streaming;
    let pause: number = POLL.firstMs;
    if (resume === undefined) {
      try {
        yield* this.ask();
      } catch (error) {
        if (this.answer.taskId === undefined || this.stop.signal.aborted) throw error;
        if (isFinal(this.faultOf(error))) throw error;
      }
    } else {
      this.answer.taskId = resume;
    }
    for (;;) {
      const { taskId, state } = this.answer;
      if (this.isDone(state)) return undefined;
      if (taskId === undefined) {
        throw new RemoteError(this.options.remote, {
          kind: 'bad_answer',
          what: 'no task and no message',
        });
      }
      try {
        yield* this.look(taskId);
        if (this.isDone(this.answer.state)) return undefined;
        if (canSubscribe) {
          try {
            yield* this.subscribe(taskId);
          } catch (error) {
            this.stop.signal.throwIfAborted();
            // It cannot, or not from here (n9e: only where the task runs): asked from time to time.
            if (this.faultOf(error).fault.kind === 'refused') canSubscribe = false;
          }
        }
        failures = 0;
      } catch (error) {
        this.stop.signal.throwIfAborted();
        failures += 1;
        if (failures > MOST_FAILURES || isFinal(this.faultOf(error))) throw error;
      }
      if (this.isDone(this.answer.state)) return undefined;
      await sleep(pause, undefined, { signal: this.stop.signal });
      pause = Math.min(pause * 1.5, POLL.mostMs);
    }
  }

  /** After an abort the name of the task is all that is still wanted. */
  private isDone(state: AnswerTracker['state']): boolean {
    return (state !== undefined && isSettled(state)) || this.signal.aborted;
  }

  private async *ask(): AsyncGenerator<Seen> {
    const { client, streaming } = this.options;
    const { signal } = this.stop;
    if (streaming) {
      for await (const event of client.sendMessageStream(this.request(), { signal })) {
        yield toEvent(event);
      }
      return;
    }
    const request = this.request({ returnImmediately: true });
    yield toAnswer(await client.sendMessage(request, { signal }));
  }

  private request(configuration = {}): ReturnType<typeof sendRequest> {
    const { messageId, text, contextId, taskId, lang, skill } = this.question;
    const message: Message = {
      messageId,
      role: 'ROLE_USER',
      parts: [{ text }],
      ...(contextId === undefined ? {} : { contextId }),
      ...(taskId === undefined ? {} : { taskId }),
    };
    const metadata = {
      ...(lang === undefined ? {} : { lang }),
      ...(skill === undefined ? {} : { skill }),
    };
    return sendRequest(message, metadata, configuration);
  }

  private async *look(taskId: string): AsyncGenerator<Seen> {
    const { signal } = this.stop;
    yield {
      task: toTask(await this.options.client.getTask({ id: taskId, tenant: '' }, { signal })),
    };
  }

  private async *subscribe(taskId: string): AsyncGenerator<Seen> {
    const { signal } = this.stop;
    const events = this.options.client.resubscribeTask({ id: taskId, tenant: '' }, { signal });
    for await (const event of events) yield toEvent(event);
  }

  /** The bytes of a file that the remote keeps beside its task; a link to elsewhere stays a link. */
  private async *withFile(news: News): AsyncGenerator<CallEvent> {
    const url = news.kind === 'part' ? news.part.url : undefined;
    if (news.kind !== 'part' || url === undefined) {
      yield news;
      return;
    }
    const { name, part } = news;
    const label = cleanText(part.filename ?? name, 100);
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
      yield { kind: 'part', name, part: { text: `[${label}: its address cannot be used]` } };
      return;
    }
    try {
      yield { kind: 'part', name, part: await this.download(url, part) };
    } catch (error) {
      this.stop.signal.throwIfAborted();
      const fault = this.faultOf(error);
      const kept =
        fault.fault.kind === 'origin'
          ? part
          : { text: `[${label} could not be fetched: ${fault.message}]` };
      yield { kind: 'part', name, part: kept };
    }
  }

  private async download(url: string, part: Part): Promise<Part> {
    const response = await this.options.fetch(url, { signal: this.stop.signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw new RemoteError(this.options.remote, { kind: 'http', status: response.status });
    }
    if (Number(response.headers.get('content-length') ?? 0) > FILE_BYTES) {
      await response.body?.cancel();
      throw new RemoteError(this.options.remote, { kind: 'too_big', bytes: FILE_BYTES });
    }
    const raw = Buffer.from(await response.arrayBuffer()).toString('base64');
    const mediaType = part.mediaType ?? response.headers.get('content-type') ?? undefined;
    const { url: _url, ...rest } = part;
    return { ...rest, raw, ...(mediaType === undefined ? {} : { mediaType }) };
  }

  /** What the SDK throws, in our terms. */
  private faultOf(error: unknown): RemoteError {
    const { remote } = this.options;
    const known = this.options.failure(error);
    if (known.fault.kind !== 'unreachable' || known.fault.code !== 'connection failed') {
      return known;
    }
    for (let at: unknown = error; at instanceof Error; at = at.cause) {
      if ('reason' in at && typeof at.reason === 'string' && 'toErrorInfo' in at) {
        const text = cleanText(at.message, WORDS);
        const fault = { kind: 'refused', text, reason: at.reason } as const;
        return new RemoteError(remote, fault, { cause: error });
      }
    }
    const text = error instanceof Error ? error.message : '';
    const status = /HTTP error.*?[Ss]tatus: (\d{3})/.exec(text)?.[1];
    if (status !== undefined) {
      return new RemoteError(remote, { kind: 'http', status: Number(status) });
    }
    if (/maximum allowed size/.test(text)) {
      return new RemoteError(remote, { kind: 'too_big', bytes: 4 * 1024 * 1024 });
    }
    const isRead = /JSON|SSE|Content-Type|mismatch|missing/.test(text);
    return isRead
      ? new RemoteError(remote, { kind: 'bad_answer', what: 'no answer of A2A' }, { cause: error })
      : known;
  }
}

/** Trying again would end the same. */
function isFinal({ fault }: RemoteError): boolean {
  return (
    fault.kind === 'refused' ||
    fault.kind === 'too_big' ||
    fault.kind === 'origin' ||
    fault.kind === 'blocked' ||
    fault.kind === 'redirect' ||
    (fault.kind === 'http' && fault.status < 500)
  );
}
