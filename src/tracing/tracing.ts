import type { TraceCarrier } from '../domain/trace-carrier.js';

/**
 * Tracing as the rest of the gateway sees it. It is off until `openTracing` has been called: then
 * nothing here does more than call the function it is given, and no OpenTelemetry package is loaded.
 */

/**
 * Facts about a span. Never a message's text, a token, a header, a URL's query, or an error's own
 * words, which may hold any of these; ids only where the gateway made them.
 */
export type SpanFacts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'internal';
  /** Where the span belongs; absent: under the active one. */
  readonly parent?: TraceCarrier | undefined;
  readonly facts?: SpanFacts;
}

export interface Span {
  /** What another process needs to go on with this trace. */
  readonly carrier: TraceCarrier | undefined;
  set(facts: SpanFacts): void;
  /** @param kind a word of a small set, e.g. a class of errors or an HTTP status. */
  fail(kind: string): void;
  end(): void;
}

/** What an implementation has to do; see otel.ts. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span;
  /** Runs `fn` with the span active, also across what it awaits. */
  within<T>(span: Span, fn: () => T): T;
  /** Of the active span. */
  carrier(): TraceCarrier | undefined;
  /** Sends what is left; at most `ms`. */
  close(ms: number): Promise<void>;
}

const NO_SPAN: Span = {
  carrier: undefined,
  set: () => undefined,
  fail: () => undefined,
  end: () => undefined,
};

let tracer: Tracer | undefined;

/** Called once by a gateway's start, when its configuration asks for traces. */
export function useTracer(implementation: Tracer | undefined): void {
  tracer = implementation;
}

export function isTracing(): boolean {
  return tracer !== undefined;
}

/** A span that the caller ends. */
export function startSpan(name: string, options: SpanOptions = {}): Span {
  return tracer?.start(name, options) ?? NO_SPAN;
}

/** Runs `fn` with `span` active. */
export function withinSpan<T>(span: Span, fn: () => T): T {
  return tracer === undefined ? fn() : tracer.within(span, fn);
}

/** Runs `fn` in a span of its own, which ends with it. @throws what `fn` throws. */
export async function traced<T>(
  name: string,
  options: SpanOptions,
  fn: (span: Span) => Promise<T>,
): Promise<T> {
  if (tracer === undefined) return fn(NO_SPAN);
  const span = tracer.start(name, options);
  try {
    return await tracer.within(span, () => fn(span));
  } catch (error) {
    span.fail(error instanceof Error ? error.name : 'unknown');
    throw error;
  } finally {
    span.end();
  }
}

/** Headers for a call to another service: it may go on with the active trace. */
export function traceHeaders(): Readonly<Record<string, string>> {
  const carrier = tracer?.carrier();
  return carrier === undefined ? {} : { ...carrier };
}

/** Of the active span, for log lines. */
export function activeTraceId(): string | undefined {
  return traceIdOf(tracer?.carrier());
}

export function traceIdOf(carrier: TraceCarrier | undefined): string | undefined {
  return carrier?.traceparent.split('-')[1];
}

/** Sends the spans that are still here; called last by a gateway's stop. */
export async function closeTracing(ms: number): Promise<void> {
  await tracer?.close(ms);
  tracer = undefined;
}
