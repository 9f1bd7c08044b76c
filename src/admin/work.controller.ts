import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import { ADMIN_SCOPE, SYSTEM_TENANT } from '../auth/principal.js';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { dateFault, userFault } from '../config/dto/token.dto.js';
import type { CallContext } from '../domain/call-context.js';
import { taskNotFound } from '../domain/errors.js';
import { OPERATOR } from '../domain/cancel-mark.js';
import { RedisAuditStore } from '../store/redis-audit.store.js';
import { RedisRunReader, type TaskSummary } from '../store/redis-run.reader.js';
import { RedisUsageStore, type UserUsage } from '../store/redis-usage.store.js';
import { CancelService } from '../tasks/cancel.service.js';
import { Ctx } from '../tenant/ctx.decorator.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';
import { AdminDesk } from './admin-desk.js';
import {
  type AdminRequest,
  Fields,
  pathPart,
  splitVerb,
  textFault,
  wholeFault,
} from './request.js';

const DAY_MS = 24 * 3600 * 1000;
const MOST_DAYS = 400;
const PAGE = 100;

/** What is being done and was done: live tasks, usage, the audit. */
@Controller('admin/v1')
@RequireScope(ADMIN_SCOPE)
export class WorkController {
  constructor(
    private readonly runs: RedisRunReader,
    private readonly cancels: CancelService,
    private readonly usages: RedisUsageStore,
    private readonly audits: RedisAuditStore,
    private readonly directory: TenantDirectory,
    private readonly desk: AdminDesk,
  ) {}

  /** Running, queued and parked tasks of one tenant or all. */
  @Get('tasks')
  async live(@Req() request: AdminRequest): Promise<unknown> {
    const fields = new Fields(queryOf(request), ['tenant', 'user']);
    const tenant = fields.text('tenant', textFault(63));
    const user = fields.text('user', userFault);
    fields.check();
    const tenants = tenant === undefined ? this.directory.all().map(({ id }) => id) : [tenant];
    return { tasks: (await this.runs.live(tenants, user)).map(shown) };
  }

  @Get('tenants/:id/tasks/:task')
  async inspect(@Req() request: AdminRequest): Promise<unknown> {
    return shown(await this.find(pathPart(request, 'id'), pathPart(request, 'task')));
  }

  /** Ends a task of anybody: at most 10 s later, then by force. */
  @Post('tenants/:id/tasks/:task')
  @HttpCode(200)
  async cancel(@Ctx() ctx: CallContext, @Req() request: AdminRequest): Promise<unknown> {
    const tenant = pathPart(request, 'id');
    const [id] = splitVerb(pathPart(request, 'task'), ['cancel'] as const);
    const { user } = await this.find(tenant, id);
    const what = { tenant, action: 'task.cancel', target: `task/${id}` };
    await this.desk.do(ctx, what, () => this.cancels.cancel({ tenant, user }, id, OPERATOR));
    return shown(await this.find(tenant, id));
  }

  /** By user and day, `from` and `to` included; the last 30 days unless said. */
  @Get('tenants/:id/usage')
  async usage(@Req() request: AdminRequest): Promise<{ readonly usage: readonly UserUsage[] }> {
    const fields = new Fields(queryOf(request), ['from', 'to', 'user']);
    const from = fields.text('from', dateFault);
    const to = fields.text('to', dateFault);
    const user = fields.text('user', userFault);
    const until = to === undefined ? Date.now() : Date.parse(to);
    const since = from === undefined ? until - 29 * DAY_MS : Date.parse(from);
    if (until - since > MOST_DAYS * DAY_MS) fields.add('from', `must be within ${MOST_DAYS} days`);
    fields.check();
    const all = await this.usages.read(pathPart(request, 'id'), since, until);
    return { usage: all.filter((one) => user === undefined || one.user === user) };
  }

  /** Newest first. Of the installation itself without a tenant. */
  @Get('audit')
  async audit(@Req() request: AdminRequest): Promise<unknown> {
    const names = ['tenant', 'since', 'until', 'actor', 'action', 'target', 'before', 'pageSize'];
    const fields = new Fields(queryOf(request), names);
    const text = (name: string): string | undefined => fields.text(name, textFault(300));
    const [tenant, actor, action, target] = ['tenant', 'actor', 'action', 'target'].map(text);
    const since = fields.text('since', dateFault);
    const until = fields.text('until', dateFault);
    const before = fields.text('before', idFault);
    const most = fields.whole('pageSize', wholeFault(1, 1000)) ?? PAGE;
    fields.check();
    const page = await this.audits.query({
      tenant: tenant === SYSTEM_TENANT ? '' : (tenant ?? ''),
      most,
      ...(since === undefined ? {} : { since: Date.parse(since) }),
      ...(until === undefined ? {} : { until: Date.parse(until) }),
      ...(actor === undefined ? {} : { actor }),
      ...(action === undefined ? {} : { action }),
      ...(target === undefined ? {} : { target }),
      ...(before === undefined ? {} : { before }),
    });
    const entries = page.entries.map(({ at, ...rest }) => ({
      time: new Date(at).toISOString(),
      ...rest,
    }));
    return { entries, ...(page.next === undefined ? {} : { next: page.next }) };
  }

  private async find(tenant: string, id: string): Promise<TaskSummary> {
    const found = await this.runs.find(tenant, id);
    if (found === undefined) throw taskNotFound(id);
    return found;
  }
}

function queryOf(request: AdminRequest): Record<string, unknown> {
  return { ...(request.query as Record<string, unknown>) };
}

function idFault(value: unknown): string | undefined {
  const ok = typeof value === 'string' && /^\d{1,15}-\d{1,10}$/.test(value);
  return ok ? undefined : 'must be the `next` of an earlier page';
}

function shown(task: TaskSummary): unknown {
  const { created, updated, deadline, ...rest } = task;
  return {
    ...rest,
    created: new Date(created).toISOString(),
    updated: new Date(updated).toISOString(),
    ...(deadline > 0 ? { deadline: new Date(deadline).toISOString() } : {}),
  };
}
