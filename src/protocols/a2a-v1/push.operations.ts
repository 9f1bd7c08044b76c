import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { TenantLimits } from '../../config/limits.js';
import type { JsonValue } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { PushConfigService, type ShownWebhook } from '../../tasks/push-config.service.js';
import type { Submitted } from '../../tasks/task.types.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import type { Params } from '../wire/params.js';
import type { Call } from './call.js';
import {
  type PushConfigList,
  readPushPage,
  readWebhook,
  type WebhookRequest,
} from './push-request.js';
import { readParams } from './request-params.js';

/**
 * The operations of A2A 1.0 on a task's push notification configs (spec sections 3.1.7 to 3.1.10);
 * see A2AOperations.
 */
@Injectable()
export class PushOperations {
  constructor(
    private readonly push: PushConfigService,
    private readonly tenants: TenantDirectory,
  ) {}

  /**
   * Before any look at the task (spec 3.3.4).
   * @throws DomainError PUSH_NOTIFICATION_NOT_SUPPORTED.
   */
  requireEnabled(): void {
    this.push.requireEnabled();
  }

  /**
   * Without an id it gets one of its own in 1.0; in 0.3 there is one such config a task.
   * @throws DomainError as PushConfigService.create.
   */
  async create(ctx: CallContext, params: JsonValue | undefined, call: Call): Promise<ShownWebhook> {
    const { given, limits, taskId } = this.read(ctx, params);
    const webhook = readWebhook(given, call.version, limits.idBytes);
    given.check();
    const id = webhook.id ?? (call.version === '0.3' ? taskId : randomUUID());
    const created = await this.push.create(ctx, taskId, { ...webhook, id });
    call.noteTask(taskId);
    return created;
  }

  /** @throws DomainError TASK_NOT_FOUND for the task and for the config (spec 3.1.8). */
  async get(ctx: CallContext, params: JsonValue | undefined, call: Call): Promise<ShownWebhook> {
    const { given, limits, taskId } = this.read(ctx, params);
    const { idBytes } = limits;
    // 0.3 may leave it out.
    const id =
      call.version === '0.3' ? (given.id('id', idBytes) ?? '') : given.requiredId('id', idBytes);
    given.check();
    const found = await this.push.get(ctx, taskId, id);
    call.noteTask(taskId);
    return found;
  }

  /** @throws DomainError TASK_NOT_FOUND. */
  async list(ctx: CallContext, params: JsonValue | undefined, call: Call): Promise<PushConfigList> {
    const { given, limits, taskId } = this.read(ctx, params);
    const page = readPushPage(given, limits.listPageMax);
    given.check();
    const all = await this.push.list(ctx, taskId);
    call.noteTask(taskId);
    return page(all);
  }

  /** Idempotent (spec 3.1.10). @throws DomainError TASK_NOT_FOUND. */
  async delete(ctx: CallContext, params: JsonValue | undefined, call: Call): Promise<void> {
    const { given, limits, taskId } = this.read(ctx, params);
    const id = given.requiredId('id', limits.idBytes);
    given.check();
    await this.push.remove(ctx, taskId, id);
    call.noteTask(taskId);
  }

  /** Of a message's own webhook, before the message runs. @throws as PushConfigService.check. */
  async check({ url }: WebhookRequest): Promise<void> {
    await this.push.check(url);
  }

  /** Registers a message's own webhook with the task that the message has become. */
  async attach(
    ctx: CallContext,
    { taskId, how }: Submitted,
    webhook: WebhookRequest,
  ): Promise<void> {
    const hook = { ...webhook, id: webhook.id ?? taskId };
    if (how === 'joined') await this.push.ensure(ctx, taskId, hook);
    else await this.push.attach(ctx, taskId, hook, how === 'created' ? 'start' : 'now');
  }

  private read(
    ctx: CallContext,
    params: JsonValue | undefined,
  ): { readonly given: Params; readonly limits: TenantLimits; readonly taskId: string } {
    const given = readParams(ctx, params);
    this.push.requireEnabled();
    const limits = this.tenants.limitsOf(ctx.tenant);
    return { given, limits, taskId: given.requiredId('taskId', limits.idBytes) };
  }
}
