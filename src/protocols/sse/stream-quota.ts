import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { CallContext } from '../../domain/call-context.js';
import { StreamPlaces } from '../../tasks/stream-places.js';

/** Ties the places of open streams to the responses that take them. */
@Injectable()
export class StreamQuota {
  constructor(private readonly places: StreamPlaces) {}

  /**
   * Takes a place for the stream that `reply` is to become, until its response is over. Before any
   * work is done for it: a stream that is refused has started nothing.
   * @throws DomainError QUOTA, PERMISSION_DENIED, UNAVAILABLE.
   */
  async take(ctx: CallContext, reply: FastifyReply): Promise<void> {
    const giveBack = await this.places.take(ctx);
    if (reply.raw.destroyed) giveBack();
    else reply.raw.on('close', giveBack);
  }
}
