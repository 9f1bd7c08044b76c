import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ADMIN_SCOPE, SYSTEM_TENANT } from '../auth/principal.js';
import { RequireScope } from '../auth/require-scope.decorator.js';
import type { CallContext } from '../domain/call-context.js';
import { DomainError } from '../domain/errors.js';
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type PendingApproval,
  RedisApprovalStore,
} from '../store/redis-approval.store.js';
import { Ctx } from '../tenant/ctx.decorator.js';
import { AdminDesk } from './admin-desk.js';
import { type AdminRequest, pathPart, splitVerb } from './request.js';

const DECISIONS = { approve: 'approved', refuse: 'refused' } as const;

/** A write that waits for an operator. */
export interface ShownApproval extends ApprovalRequest {
  readonly id: string;
  /** RFC 3339. */
  readonly expires: string;
}

/**
 * Writes that wait for an operator (policy `ask-operator`). Open to admins, and to a tenant's own
 * operators: tokens with the scope `approvals`, for what others of their tenant have asked for.
 */
@Controller('admin/v1/tenants')
@RequireScope('approvals', ADMIN_SCOPE)
export class ApprovalsController {
  constructor(
    private readonly approvals: RedisApprovalStore,
    private readonly desk: AdminDesk,
  ) {}

  /** The most urgent first. */
  @Get(':id/approvals')
  async pending(
    @Ctx() ctx: CallContext,
    @Req() request: AdminRequest,
  ): Promise<{ readonly approvals: readonly ShownApproval[] }> {
    const tenant = tenantOf(ctx, request);
    return { approvals: (await this.approvals.pending(tenant)).map(shown) };
  }

  /** `<id>:approve` or `<id>:refuse`; the first decision counts. */
  @Post(':id/approvals/:ref')
  @HttpCode(200)
  async decide(
    @Ctx() ctx: CallContext,
    @Req() request: AdminRequest,
  ): Promise<{ readonly id: string; readonly decision: ApprovalDecision; readonly by: string }> {
    const tenant = tenantOf(ctx, request);
    const [id, verb] = splitVerb(pathPart(request, 'ref'), ['approve', 'refuse'] as const);
    const decision = DECISIONS[verb];
    const what = { tenant, action: `approval.${decision}`, target: `approval/${id}` };
    return this.desk.do(ctx, what, async () => {
      const asked = await this.approvals.request(tenant, id);
      if (asked === undefined) throw missing();
      if (ctx.tenant === tenant && asked.user === ctx.user) {
        throw new DomainError('PERMISSION_DENIED', 'Nobody decides on what they have asked for');
      }
      const decided = await this.approvals.decide(tenant, id, decision, ctx.user);
      if (!decided.ok && decided.why === 'missing') throw missing();
      if (!decided.ok) {
        const text = 'The run that asked for it is gone; nothing will be done';
        throw new DomainError('FAILED_PRECONDITION', text);
      }
      if (decided.decision !== decision || decided.by !== ctx.user) {
        const who = decided.by === '' ? '' : ` by ${decided.by}`;
        throw new DomainError('FAILED_PRECONDITION', `It is ${decided.decision} already${who}`);
      }
      return { id, decision, by: ctx.user };
    });
  }
}

/** @throws DomainError NOT_FOUND for another tenant than the operator's own. */
function tenantOf(ctx: CallContext, request: AdminRequest): string {
  const tenant = pathPart(request, 'id');
  if (ctx.tenant !== SYSTEM_TENANT && ctx.tenant !== tenant) throw missing();
  return tenant;
}

function missing(): DomainError {
  return new DomainError('NOT_FOUND', 'No such resource');
}

function shown({ expires, ...rest }: PendingApproval): ShownApproval {
  return { ...rest, expires: new Date(expires).toISOString() };
}
