import { Injectable } from '@nestjs/common';
import { AuditLog } from '../audit/audit.log.js';
import type { CallContext } from '../domain/call-context.js';
import { DomainError } from '../domain/errors.js';
import { RedisPushStore } from '../store/redis-push.store.js';
import { placeOf } from '../push/push-courier.js';
import { PushParts } from '../push/push-parts.js';
import { PushSender } from '../push/push-sender.js';
import type { Sealer } from '../push/sealer.js';
import { type UrlGuard, UrlRefused } from '../outbound/url-guard.js';
import type { Webhook } from '../domain/webhook.js';

/** Webhooks that a task may have (design section 8). */
const HOOKS_A_TASK = 10;

/** A webhook as it is shown: its token and credentials never leave again. */
export interface ShownWebhook {
  readonly id: string;
  readonly taskId: string;
  readonly url: string;
  readonly authentication?: { readonly scheme: string };
}

/**
 * Registering of webhooks. A task that is not the caller's is answered like one that is missing,
 * before anything else is looked at.
 */
@Injectable()
export class PushConfigService {
  constructor(
    private readonly store: RedisPushStore,
    private readonly parts: PushParts,
    private readonly sender: PushSender,
    private readonly audit: AuditLog,
  ) {}

  get enabled(): boolean {
    return this.parts.sealer !== undefined;
  }

  /** @throws DomainError PUSH_NOTIFICATION_NOT_SUPPORTED. */
  requireEnabled(): void {
    this.working();
  }

  /**
   * Before the task is there: whether the webhook may be registered at all.
   * @throws DomainError INVALID_PARAMS, PUSH_NOTIFICATION_NOT_SUPPORTED.
   */
  async check(url: string): Promise<void> {
    const { guard } = this.working();
    try {
      await guard.check(url);
    } catch (error) {
      if (!(error instanceof UrlRefused)) throw error;
      throw new DomainError('INVALID_PARAMS', `The webhook's ${error.message}`);
    }
  }

  /**
   * Registers a webhook, in place of the one of the same id. It is told at once how the task stands,
   * then every later event.
   * @throws DomainError TASK_NOT_FOUND, INVALID_PARAMS (the URL), QUOTA, UNAVAILABLE,
   * PUSH_NOTIFICATION_NOT_SUPPORTED.
   */
  async create(ctx: CallContext, taskId: string, hook: Webhook): Promise<ShownWebhook> {
    return this.audit.of(ctx, 'webhook.set', `task/${taskId}`, async () => {
      await this.store.list({ ...ctx, taskId });
      await this.check(hook.url);
      return this.attach(ctx, taskId, hook, 'now');
    });
  }

  /**
   * The same for a webhook that `check` has passed.
   * @param from `start`: it is told every event there was.
   */
  async attach(
    ctx: CallContext,
    taskId: string,
    hook: Webhook,
    from: 'start' | 'now',
  ): Promise<ShownWebhook> {
    const { sealer } = this.working();
    const sealed = sealer.seal(JSON.stringify(hook), placeOf(ctx.tenant, taskId, hook.id));
    await this.store.set({ ...ctx, taskId }, { id: hook.id, sealed }, from, HOOKS_A_TASK);
    this.sender.wake(ctx.tenant);
    return shown(taskId, hook);
  }

  /**
   * The same, unless the task has this very webhook already: a message that was sent again does not
   * make its webhook start again.
   */
  async ensure(ctx: CallContext, taskId: string, hook: Webhook): Promise<void> {
    const { sealer } = this.working();
    const stored = await this.store.list({ ...ctx, taskId });
    const known = stored.find(({ id }) => id === hook.id);
    const text = known && sealer.open(known.sealed, placeOf(ctx.tenant, taskId, hook.id));
    if (text !== JSON.stringify(hook)) await this.attach(ctx, taskId, hook, 'now');
  }

  /** In the order of their ids. @throws DomainError like `create`. */
  async list(ctx: CallContext, taskId: string): Promise<readonly ShownWebhook[]> {
    const { sealer } = this.working();
    const stored = await this.store.list({ ...ctx, taskId });
    return stored
      .flatMap(({ id, sealed }) => {
        const text = sealer.open(sealed, placeOf(ctx.tenant, taskId, id));
        return text === undefined ? [] : [shown(taskId, JSON.parse(text) as Webhook)];
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /**
   * @param id '' for the only one, or else the one that was registered without an id.
   * @throws DomainError like `create`; TASK_NOT_FOUND for a webhook that the task has not (spec 3.1.8).
   */
  async get(ctx: CallContext, taskId: string, id: string): Promise<ShownWebhook> {
    const hooks = await this.list(ctx, taskId);
    const wanted = id === '' ? (hooks.length === 1 ? hooks[0]?.id : taskId) : id;
    const found = hooks.find((hook) => hook.id === wanted);
    if (found === undefined) {
      throw new DomainError('TASK_NOT_FOUND', 'The task has no such push notification config', {
        metadata: { taskId },
      });
    }
    return found;
  }

  /** One that is not there is removed already. @throws DomainError like `create`. */
  async remove(ctx: CallContext, taskId: string, id: string): Promise<void> {
    this.working();
    await this.audit.of(ctx, 'webhook.remove', `task/${taskId}`, () =>
      this.store.remove({ ...ctx, taskId }, id),
    );
  }

  private working(): { readonly guard: UrlGuard; readonly sealer: Sealer } {
    const { guard, sealer } = this.parts;
    if (guard !== undefined && sealer !== undefined) return { guard, sealer };
    throw new DomainError(
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
      'Push notifications are not supported; use a stream, or poll the task',
    );
  }
}

function shown(taskId: string, { id, url, authentication }: Webhook): ShownWebhook {
  return {
    id,
    taskId,
    url,
    ...(authentication === undefined ? {} : { authentication: { scheme: authentication.scheme } }),
  };
}
