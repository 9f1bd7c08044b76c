import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';

const RETRY_SECONDS = 5;

/** How many streams each user and tenant holds open on this instance. */
@Injectable()
export class StreamQuota {
  private readonly open = new Map<string, number>();

  constructor(private readonly tenants: TenantDirectory) {}

  /**
   * Takes a place for the stream that `reply` is to become, until its response is over. Before any
   * work is done for it: a stream that is refused has started nothing.
   * @throws DomainError QUOTA, PERMISSION_DENIED.
   */
  take({ tenant, user }: CallContext, reply: FastifyReply): void {
    const { streamsPerUser, streamsPerTenant } = this.tenants.limitsOf(tenant);
    const places: readonly (readonly [string, number, string, string])[] = [
      [`${tenant}/${encodeURIComponent(user)}`, streamsPerUser, 'of this user', 'streams_user'],
      [tenant, streamsPerTenant, 'in this tenant', 'streams_tenant'],
    ];
    for (const [name, most, whose, quota] of places) {
      if ((this.open.get(name) ?? 0) < most) continue;
      throw new DomainError('QUOTA', `Too many open streams ${whose}`, {
        retryAfter: RETRY_SECONDS,
        metadata: { quota },
      });
    }
    if (reply.raw.destroyed) return;
    for (const [name] of places) this.count(name, 1);
    reply.raw.once('close', () => {
      for (const [name] of places) this.count(name, -1);
    });
  }

  private count(name: string, by: 1 | -1): void {
    const count = (this.open.get(name) ?? 0) + by;
    if (count > 0) this.open.set(name, count);
    else this.open.delete(name);
  }
}
