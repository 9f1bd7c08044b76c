import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';

/** What went wrong, without its full stop. Only texts written for callers go out. */
export function sentence(ctx: CallContext, error: unknown): string {
  if (!(error instanceof DomainError)) return `Internal error (request ${ctx.requestId})`;
  return error.message.replace(/[.。]$/u, '');
}

/** What the model can do about a refusal. */
export function adviceFor(error: DomainError): readonly string[] {
  return error.retryAfter === undefined ? [] : [`Try again in ${error.retryAfter} s.`];
}
