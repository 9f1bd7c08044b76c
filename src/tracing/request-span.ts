import type { IncomingMessage } from 'node:http';
import type { TraceCarrier } from '../domain/trace-carrier.js';
import { type Span, traceIdOf } from './tracing.js';

const spans = new WeakMap<IncomingMessage, Span>();

/** `request` is Node's own (Fastify's `request.raw`). */
export function setRequestSpan(request: IncomingMessage, span: Span): void {
  spans.set(request, span);
}

/** What a task of this request has to remember, so that its run belongs to the request's trace. */
export function traceOfRequest(request: IncomingMessage): TraceCarrier | undefined {
  return spans.get(request)?.carrier;
}

/** For log lines: `{}` while tracing is off. */
export function traceIdField(request: IncomingMessage): { readonly traceId?: string } {
  const traceId = traceIdOf(traceOfRequest(request));
  return traceId === undefined ? {} : { traceId };
}
