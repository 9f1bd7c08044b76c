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

const notes = new WeakMap<IncomingMessage, RequestNotes>();

/** Adds to a request's notes; `request` is Node's own (Fastify's `request.raw`). */
export function noteRequest(request: IncomingMessage, more: RequestNotes): void {
  const known = notes.get(request);
  if (known === undefined) notes.set(request, { ...more });
  else Object.assign(known, more);
}

export function notesOf(request: IncomingMessage): RequestNotes {
  return notes.get(request) ?? {};
}
