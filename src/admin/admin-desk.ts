import { Injectable, Logger } from '@nestjs/common';
import { AuditLog, type NewEntry, outcomeOf } from '../audit/audit.log.js';
import { SYSTEM_TENANT } from '../auth/principal.js';
import type { CallContext } from '../domain/call-context.js';

/** Carries out what an admin asks for, with an entry in the audit before it is answered. */
@Injectable()
export class AdminDesk {
  private readonly logger = new Logger(AdminDesk.name);

  constructor(private readonly audit: AuditLog) {}

  /**
   * @param what the action, its target and the tenant whose audit it belongs to.
   * @throws whatever `work` throws.
   */
  async do<T>(
    ctx: CallContext,
    what: Pick<NewEntry, 'tenant' | 'action' | 'target'>,
    work: () => Promise<T>,
    target: (result: T) => string = () => what.target,
  ): Promise<T> {
    try {
      const result = await work();
      await this.note(ctx, { ...what, target: target(result) });
      return result;
    } catch (error) {
      await this.note(ctx, { ...what, outcome: outcomeOf(error) });
      throw error;
    }
  }

  /** Redis may go away in between; what was done is done, and noted as soon as it can be. */
  private async note(
    ctx: CallContext,
    what: Pick<NewEntry, 'tenant' | 'action' | 'target' | 'outcome'>,
  ): Promise<void> {
    const entry = {
      ...what,
      // A tenant's own operator is one of its users.
      actor: ctx.tenant === SYSTEM_TENANT ? `admin:${ctx.user}` : ctx.user,
      ...(ctx.token === undefined ? {} : { token: ctx.token }),
      requestId: ctx.requestId,
    };
    try {
      await this.audit.write(entry);
    } catch (error) {
      this.logger.warn({ msg: 'the audit waits for Redis', err: error });
      this.audit.note(entry);
    }
  }
}
