import type { FastifyReply } from 'fastify';
import type { CallContext } from '../../domain/call-context.js';
import type { EndSignal } from '../../domain/end-signal.js';
import { DomainError } from '../../domain/errors.js';
import type { WireVersion } from '../../domain/webhook.js';
import { noteRequest } from '../../metrics/request-notes.js';
import type { TenantDirectory } from '../../tenant/tenant.directory.js';
import { ClientGone } from '../http/client-gone.js';
import { activatedExtensions } from '../wire/extensions.js';

/** What a call brings besides its params. */
export interface Call {
  /** Aborts when the client is gone. Ends waiting and reading, never a run. */
  readonly signal: EndSignal;
  /** The Last-Event-ID header, for streams. */
  readonly lastEventId?: string | undefined;
  /** The Idempotency-Key header, for sends: what came before under it is joined. */
  readonly idempotencyKey?: string | undefined;
  /** The version that the caller speaks, for what outlives the call. */
  readonly version: WireVersion;
  /** Under which URL the caller reaches the gateway, without a trailing slash. */
  readonly baseUrl: string;
  /** Told once the core has accepted the call: which task it was about, for the access log. */
  noteTask(taskId: string): void;
}

/** What an operation learns of its HTTP request. Most never ask for the signal. */
class HttpCall implements Call {
  private made: EndSignal | undefined;

  constructor(
    private readonly reply: FastifyReply,
    readonly version: WireVersion,
  ) {}

  get signal(): EndSignal {
    this.made ??= new ClientGone(this.reply.raw);
    return this.made;
  }

  get lastEventId(): string | undefined {
    const header = this.reply.request.headers['last-event-id'];
    return typeof header === 'string' ? header : undefined;
  }

  get idempotencyKey(): string | undefined {
    const header = this.reply.request.headers['idempotency-key'];
    return typeof header === 'string' ? header : undefined;
  }

  get baseUrl(): string {
    const { request, server } = this.reply;
    return server.baseUrlOf?.(request) ?? '';
  }

  noteTask(taskId: string): void {
    noteRequest(this.reply.request.raw, { taskId });
  }
}

export function callOf(reply: FastifyReply, version: WireVersion = '1.0'): Call {
  return new HttpCall(reply, version);
}

/**
 * Names the extensions that are active for this call, before a stream sends its head.
 * @param header `a2a-extensions`, in 0.3 `x-a2a-extensions`, for question and answer.
 */
export function answerExtensions(
  reply: FastifyReply,
  header: 'a2a-extensions' | 'x-a2a-extensions',
): void {
  const active = activatedExtensions(reply.request.headers[header]);
  if (active.length > 0) reply.header(header, active.join(', '));
}

/**
 * The tenant's own body limit. The listener's, which is the widest of all tenants, was checked
 * while the body came in, when nobody knew yet whose it was.
 * @throws DomainError TOO_LARGE; PERMISSION_DENIED for a tenant that is not configured any more.
 */
export function checkBodySize(ctx: CallContext, tenants: TenantDirectory, body: unknown): void {
  const { a2aBodyBytes } = tenants.limitsOf(ctx.tenant);
  // A UTF-16 unit takes three bytes at most: only bodies near the limit are measured.
  if (typeof body !== 'string' || body.length * 3 <= a2aBodyBytes) return;
  if (Buffer.byteLength(body) > a2aBodyBytes) {
    throw new DomainError('TOO_LARGE', `The body is larger than ${a2aBodyBytes} bytes`);
  }
}
