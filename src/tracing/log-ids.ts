import type { CallContext } from '../domain/call-context.js';
import { traceIdOf } from './tracing.js';

/** What a log line about a call, or about the run that it started, carries. */
export function logIdsOf(ctx: CallContext): Readonly<Record<string, string>> {
  const traceId = traceIdOf(ctx.trace);
  return {
    tenant: ctx.tenant,
    requestId: ctx.requestId,
    ...(traceId === undefined ? {} : { traceId }),
  };
}
