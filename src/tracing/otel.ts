import {
  context,
  type Context,
  diag,
  DiagLogLevel,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { TracingSettings } from '../config/config.types.js';
import type { TraceCarrier } from '../domain/trace-carrier.js';
import type { Span, SpanFacts, SpanOptions, Tracer } from './tracing.js';

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
} as const;

/** A collector that is away fails every batch: said once in so long. */
const COMPLAIN_EVERY_MS = 60_000;

const FIELDS: TextMapGetter<Record<string, string>> = {
  get: (from, key) => from[key],
  keys: (from) => Object.keys(from),
};

const propagator = new W3CTraceContextPropagator();

/**
 * The OpenTelemetry SDK behind our few calls. What the settings leave open is OpenTelemetry's own
 * environment variables' to say (sampler, batching, headers, compression, resource attributes).
 * @param complain told what keeps spans from being sent.
 */
export function openOtel(
  settings: TracingSettings,
  version: string,
  complain: (error: unknown) => void,
): Tracer {
  const { endpoint, headers, sampleRatio, serviceName } = settings;
  const exporter = new OTLPTraceExporter({
    ...(endpoint === undefined ? {} : { url: tracesUrl(endpoint) }),
    ...(Object.keys(headers).length > 0 ? { headers: { ...headers } } : {}),
  });
  const named = serviceName === undefined ? {} : { 'service.name': serviceName };
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'nightjar', 'service.version': version })
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes(named)),
    ...(sampleRatio === undefined
      ? {}
      : { sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }) }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  // Makes the active span follow what a run awaits.
  provider.register({ propagator });
  listenToFailures(complain);
  return new OtelTracer(provider);
}

/** The collector's address as its own documents give it: with or without the path of this signal. */
function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, '');
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`;
}

class OtelTracer implements Tracer {
  private readonly tracer;

  constructor(private readonly provider: NodeTracerProvider) {
    this.tracer = provider.getTracer('nightjar');
  }

  start(name: string, { kind = 'internal', parent, facts = {} }: SpanOptions): Span {
    const above = parent === undefined ? context.active() : contextOf(parent);
    const attributes = known(facts);
    const span = this.tracer.startSpan(name, { kind: KINDS[kind], attributes }, above);
    return new OneSpan(span, trace.setSpan(above, span));
  }

  within<T>(span: Span, fn: () => T): T {
    return span instanceof OneSpan ? context.with(span.context, fn) : fn();
  }

  carrier(): TraceCarrier | undefined {
    return carrierOf(context.active());
  }

  async close(ms: number): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, ms).unref());
    await Promise.race([this.provider.shutdown().catch(() => undefined), late]);
  }
}

class OneSpan implements Span {
  constructor(
    private readonly span: OtelSpan,
    readonly context: Context,
  ) {}

  get carrier(): TraceCarrier | undefined {
    return carrierOf(this.context);
  }

  set(facts: SpanFacts): void {
    this.span.setAttributes(known(facts));
  }

  fail(kind: string): void {
    this.span.setAttribute('error.type', kind);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}

function known(facts: SpanFacts): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(facts).filter((fact): fact is [string, string | number | boolean] => {
      return fact[1] !== undefined;
    }),
  );
}

/** A carrier that is none starts a trace of its own. */
function contextOf(carrier: TraceCarrier): Context {
  return propagator.extract(ROOT_CONTEXT, { ...carrier }, FIELDS);
}

function carrierOf(from: Context): TraceCarrier | undefined {
  const span = trace.getSpanContext(from);
  if (span === undefined || !isSpanContextValid(span)) return undefined;
  const carrier: Record<string, string> = {};
  propagator.inject(from, carrier, {
    set: (into: Record<string, string>, key: string, value: string) => {
      into[key] = value;
    },
  });
  const { traceparent, tracestate } = carrier;
  if (traceparent === undefined) return undefined;
  return { traceparent, ...(tracestate === undefined ? {} : { tracestate }) };
}

function listenToFailures(complain: (error: unknown) => void): void {
  let last = Number.NEGATIVE_INFINITY;
  const tell = (error: unknown): void => {
    if (performance.now() - last < COMPLAIN_EVERY_MS) return;
    last = performance.now();
    complain(error);
  };
  setGlobalErrorHandler(tell);
  const quiet = (): void => undefined;
  diag.setLogger(
    { error: tell, warn: tell, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
