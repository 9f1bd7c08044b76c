import { Controller, Delete, Get, HttpCode, Post, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ADMIN_SCOPE } from '../auth/principal.js';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { userFault } from '../config/dto/token.dto.js';
import { tenantIdFault } from '../config/tenant-id.js';
import type { CallContext } from '../domain/call-context.js';
import { DomainError } from '../domain/errors.js';
import { Ctx } from '../tenant/ctx.decorator.js';
import { AdminDesk } from './admin-desk.js';
import { type AdminRequest, bodyOf, Fields, pathPart, splitVerb, textFault } from './request.js';
import { type Seen, type ShownTenant, TenantAdmin } from './tenant-admin.js';

const VERBS = ['suspend', 'resume'] as const;

/** Tenants, and the suspension of tenants and users. */
@Controller('admin/v1/tenants')
@RequireScope(ADMIN_SCOPE)
export class TenantsController {
  constructor(
    private readonly tenants: TenantAdmin,
    private readonly desk: AdminDesk,
  ) {}

  @Get()
  async list(): Promise<{ readonly tenants: readonly ShownTenant[] }> {
    return { tenants: await this.tenants.list() };
  }

  @Get(':id')
  async get(
    @Req() request: AdminRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShownTenant> {
    return tagged(reply, await this.tenants.get(pathPart(request, 'id')));
  }

  @Put(':id')
  async put(
    @Ctx() ctx: CallContext,
    @Req() request: AdminRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShownTenant> {
    const id = pathPart(request, 'id');
    // What is no tenant's name, and never will be, gets no audit of its own.
    const tenant = tenantIdFault(id) === undefined ? id : '';
    const what = { tenant, action: 'tenant.put', target: `tenant/${id}` };
    const put = (): Promise<ShownTenant> => this.tenants.put(id, bodyOf(request), seenBy(request));
    return tagged(reply, await this.desk.do(ctx, what, put));
  }

  @Delete(':id')
  async remove(
    @Ctx() ctx: CallContext,
    @Req() request: AdminRequest,
  ): Promise<{ readonly removedKeys: number }> {
    const id = pathPart(request, 'id');
    // Under the installation: whoever looks for a tenant that is gone looks there.
    const what = { tenant: '', action: 'tenant.delete', target: `tenant/${id}` };
    return this.desk.do(ctx, what, () => this.tenants.remove(id, seenBy(request)));
  }

  @Post(':id')
  @HttpCode(200)
  async act(@Ctx() ctx: CallContext, @Req() request: AdminRequest): Promise<ShownTenant> {
    const [id, verb] = splitVerb(pathPart(request, 'id'), VERBS);
    await this.stop(ctx, request, { id, user: undefined, verb });
    return this.tenants.get(id);
  }

  @Post(':id/users/:user')
  @HttpCode(200)
  async actOnUser(@Ctx() ctx: CallContext, @Req() request: AdminRequest): Promise<ShownTenant> {
    const id = pathPart(request, 'id');
    const [user, verb] = splitVerb(pathPart(request, 'user'), VERBS);
    const fault = userFault(user);
    if (fault !== undefined) throw new DomainError('INVALID_PARAMS', `user ${fault}`);
    await this.stop(ctx, request, { id, user, verb });
    return this.tenants.get(id);
  }

  private async stop(
    ctx: CallContext,
    request: AdminRequest,
    { id, user, verb }: { id: string; user: string | undefined; verb: (typeof VERBS)[number] },
  ): Promise<void> {
    const fields = new Fields(bodyOf(request), ['reason']);
    const reason = fields.text('reason', textFault(500)) ?? '';
    fields.check();
    const target = user === undefined ? `tenant/${id}` : `user/${user}`;
    const action = `${user === undefined ? 'tenant' : 'user'}.${verb}`;
    const tenant = (await this.tenants.exists(id)) ? id : '';
    await this.desk.do(ctx, { tenant, action, target }, () =>
      verb === 'suspend'
        ? this.tenants.suspend(id, user, ctx.user, reason)
        : this.tenants.resume(id, user),
    );
  }
}

/** `If-Match: "7"`, `If-None-Match: *`, or neither. @throws DomainError INVALID_PARAMS. */
function seenBy({ headers }: AdminRequest): Seen {
  const match = headers['if-match'];
  if (headers['if-none-match'] === '*' && match === undefined) return 'none';
  if (match === undefined && headers['if-none-match'] === undefined) return undefined;
  const version = /^"(\d{1,15})"$/.exec(match ?? '')?.[1];
  if (version !== undefined) return Number(version);
  throw new DomainError('INVALID_PARAMS', 'If-Match must be one ETag, If-None-Match must be *');
}

function tagged(reply: FastifyReply, tenant: ShownTenant): ShownTenant {
  if (tenant.version !== undefined) reply.header('etag', `"${tenant.version}"`);
  return tenant;
}
