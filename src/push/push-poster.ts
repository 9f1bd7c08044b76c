import { Agent, request } from 'undici';
import type { PushOutcome } from '../metrics/metrics.js';
import { causesOf } from '../outbound/causes.js';
import { guardedLookup, type UrlGuard, UrlRefused } from '../outbound/url-guard.js';
import { traceHeaders } from '../tracing/tracing.js';
import type { Webhook } from '../domain/webhook.js';

/** Of an answer that nobody looks at, before the connection is cut. */
const ANSWER_BYTES = 16 * 1024;
const KEEP_ALIVE_MS = 4000;

export interface PostBody {
  readonly contentType: string;
  readonly text: string;
  /** The event that it ends with, for a receiver that wants to see a repeated one. */
  readonly eventId: string;
}

export interface Posted {
  readonly outcome: Exclude<PushOutcome, 'gave_up' | 'unreadable'>;
  /** For the log: no URL, no header, no body. */
  readonly detail: string;
}

/**
 * Posts to webhooks. Redirects are answers like any other (not followed), proxies of the environment
 * are not used, and each connection goes to an address that the guard has just allowed.
 */
export class PushPoster {
  private readonly agent: Agent;

  constructor(
    private readonly guard: UrlGuard,
    private readonly timeoutMs: number,
    private readonly userAgent: string,
  ) {
    this.agent = new Agent({
      connect: { lookup: guardedLookup(guard), timeout: timeoutMs },
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      allowH2: false,
      pipelining: 1,
    });
  }

  /** Never rejects. @param signal ends a delivery early, which then counts as a timeout. */
  async post(hook: Webhook, body: PostBody, signal: AbortSignal): Promise<Posted> {
    try {
      // A literal address is connected without a look-up, so it is judged here.
      const url = this.guard.parse(hook.url);
      const { statusCode, body: answer } = await request(url, {
        method: 'POST',
        dispatcher: this.agent,
        signal: AbortSignal.any([signal, AbortSignal.timeout(this.timeoutMs)]),
        headers: this.headersOf(hook, body),
        body: body.text,
      });
      await answer.dump({ limit: ANSWER_BYTES }).catch(() => undefined);
      return judge(statusCode);
    } catch (error) {
      return failure(error);
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private headersOf(hook: Webhook, body: PostBody): Record<string, string> {
    const { token, authentication } = hook;
    return {
      'content-type': body.contentType,
      'user-agent': this.userAgent,
      'x-nightjar-event-id': body.eventId,
      ...traceHeaders(),
      ...(token === undefined ? {} : { 'x-a2a-notification-token': token }),
      ...(authentication === undefined
        ? {}
        : { authorization: `${authentication.scheme} ${authentication.credentials}` }),
    };
  }
}

function judge(status: number): Posted {
  const detail = `answered ${status}`;
  if (status >= 200 && status < 300) return { outcome: 'sent', detail };
  return { outcome: status === 410 ? 'gone' : 'http_error', detail };
}

/** What undici says can hold the URL or a header; only its kind is kept. */
function failure(error: unknown): Posted {
  if (causesOf(error).some((one) => one instanceof UrlRefused)) {
    return { outcome: 'blocked', detail: 'not a permitted address' };
  }
  const { name, code: given } = error as { readonly name: string; readonly code?: unknown };
  // A DOMException has a number there.
  const code = typeof given === 'string' ? given : undefined;
  const late = /Abort|Timeout/.test(name) || (code?.includes('TIMEOUT') ?? false);
  return { outcome: late ? 'timeout' : 'network', detail: code ?? name };
}
