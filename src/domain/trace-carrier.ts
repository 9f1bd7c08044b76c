/** W3C trace context as it travels between processes: plain data, stored with a task. */
export interface TraceCarrier {
  readonly traceparent: string;
  readonly tracestate?: string;
}
