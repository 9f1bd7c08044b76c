import type { IncomingMessage } from 'node:http';

/** What the layers learn about a request on its way, for its access log line and its metrics. */
export interface RequestNotes {
  /** Small closed set, e.g. `a2a-rest`, `a2a-jsonrpc`, `mcp`; taken from the path when absent. */
  surface?: string;
  /** The protocol's operation, e.g. `SendMessage`; only names that the gateway knows. */
  method?: string;
  tenant?: string;
  user?: string;
  taskId?: string;
}

/** On the request itself: a WeakMap of a thousand short lives a second costs the collector its time. */
const NOTES = Symbol('notes');

interface Noted {
  [NOTES]?: RequestNotes;
}

/** Adds to a request's notes; `request` is Node's own (Fastify's `request.raw`). */
export function noteRequest(request: IncomingMessage & Noted, more: RequestNotes): void {
  const known = request[NOTES];
  if (known === undefined) request[NOTES] = { ...more };
  else Object.assign(known, more);
}

export function notesOf(request: IncomingMessage & Noted): RequestNotes {
  return request[NOTES] ?? {};
}
