import type { FastifyReply } from 'fastify';

/** Made once: an abort without a reason makes a DOMException with a stack, on every request. */
const REASON = new DOMException('The response is over', 'AbortError');

/**
 * Aborts when the response is over, in particular when the client went away before its end. Not
 * Fastify's `request.signal`: for a request with a body that one aborts as soon as the body is read.
 */
export function clientGone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  if (reply.raw.destroyed) controller.abort(REASON);
  else {
    reply.raw.once('close', () => {
      controller.abort(REASON);
    });
  }
  return controller.signal;
}
