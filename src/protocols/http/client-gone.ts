import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { EndSignal } from '../../domain/end-signal.js';

/** Made once: an abort without a reason makes a DOMException with a stack, on every request. */
const REASON = new DOMException('The response is over', 'AbortError');

/**
 * Aborts when the response is over, in particular when the client went away before its end. Not
 * Fastify's `request.signal`: for a request with a body that one aborts as soon as the body is read.
 */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  new ClientGone(reply.raw).addEventListener('abort', () => {
    controller.abort(REASON);
  });
  if (reply.raw.destroyed) controller.abort(REASON);
  return controller.signal;
}

/** The same without an AbortSignal, for whatever only waits. */
export class ClientGone implements EndSignal {
  private over: boolean;
  private readonly listeners: (() => void)[] = [];

  constructor(response: Pick<ServerResponse, 'on' | 'destroyed'>) {
    this.over = response.destroyed;
    response.on('close', () => {
      this.over = true;
      this.listeners.splice(0).forEach((listener) => {
        listener();
      });
    });
  }

  get aborted(): boolean {
    return this.over;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.over) this.listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.listeners.indexOf(listener);
    if (at >= 0) this.listeners.splice(at, 1);
  }
}
