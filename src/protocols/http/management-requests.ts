import type { IncomingMessage } from 'node:http';

const seen = new WeakSet<IncomingMessage>();

/** Marks a request that came in on the management listener. */
export function markManagement(request: IncomingMessage): void {
  seen.add(request);
}

export function isOnManagement(request: IncomingMessage): boolean {
  return seen.has(request);
}
