import type { TenantLimits } from '../../config/limits.js';
import type { CallContext } from '../../domain/call-context.js';

export interface McpExchangeOptions {
  readonly ctx: CallContext;
  readonly limits: TenantLimits;
  /** False: the client takes no event stream, so progress would be lost. */
  readonly streams: boolean;
  /** Under which URL the caller reaches the gateway, without a trailing slash. */
  readonly baseUrl: () => string;
  /** What the client says it speaks; empty before 2025-06-18, when there was no such header. */
  readonly protocolVersion: string;
  /** Takes a place among the open streams for the response. @throws DomainError QUOTA, UNAVAILABLE. */
  readonly admit: () => Promise<void>;
  /** Called with the task that a tool works on. */
  readonly noteTask: (taskId: string) => void;
}

/** Made once: an abort without a reason makes a DOMException with a stack. */
const REASON = new DOMException('The call is over', 'AbortError');

/**
 * One HTTP request to `/mcp`. The tool tells here whether its work has begun, so that the controller
 * can still answer an HTTP status in place of a stream.
 */
export class McpExchange {
  private settle!: () => void;
  private refused: Error | undefined;
  private left = false;
  private readonly ending = new AbortController();
  private admitted: Promise<void> | undefined;

  /** Resolves once a tool has begun its work or refused it; never, when no tool runs. */
  readonly opened = new Promise<void>((resolve) => {
    this.settle = resolve;
  });

  constructor(readonly options: McpExchangeOptions) {}

  /** Aborts when a tool should answer with what there is: the client is gone, or the server goes. */
  get over(): AbortSignal {
    return this.ending.signal;
  }

  /** The client went away before its answer. */
  get gone(): boolean {
    return this.left;
  }

  /** Why the request gets an HTTP error in place of an answer. */
  get refusal(): Error | undefined {
    return this.refused;
  }

  /** The client went away: nobody hears the answer. */
  leave(): void {
    this.left = true;
    this.ending.abort(REASON);
  }

  /** The instance stops: whatever works on is left to others. */
  hurry(): void {
    this.ending.abort(REASON);
  }

  /** Once for the whole exchange, before any of its tools begins. @throws DomainError. */
  admit(): Promise<void> {
    this.admitted ??= this.options.admit();
    return this.admitted;
  }

  open(): void {
    this.settle();
  }

  refuse(error: unknown): void {
    this.refused ??= error instanceof Error ? error : new Error(String(error));
    this.settle();
  }
}
