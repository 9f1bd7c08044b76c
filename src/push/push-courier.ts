import { Logger } from '@nestjs/common';
import type { PushSettings } from '../config/config.types.js';
import { formatEventId, type EventId } from '../domain/event.js';
import { metrics, type PushOutcome } from '../metrics/metrics.js';
import type { TraceCarrier } from '../domain/trace-carrier.js';
import { isTracing, traced } from '../tracing/tracing.js';
import type { PushClaim, RedisPushStore } from '../store/redis-push.store.js';
import { backOffMs } from './back-off.js';
import type { Notification } from './merge-events.js';
import type { Notifications } from './notifications.js';
import type { PushFormats } from '../domain/webhook.js';
import type { PostBody, Posted, PushPoster } from './push-poster.js';
import type { Sealer } from './sealer.js';
import type { Webhook } from '../domain/webhook.js';

/** Beyond the time of one delivery, for everything around it. */
const CLAIM_SPARE_MS = 5000;
/** Deliveries under one claim before others have their turn. */
const MOST_POSTS = 100;

export interface CourierParts {
  readonly store: RedisPushStore;
  readonly notifications: Notifications;
  readonly poster: PushPoster;
  readonly sealer: Sealer;
  readonly formats: PushFormats;
  readonly settings: PushSettings;
  /** The trace of a task; asked for while traces are made. */
  readonly traceOf: (tenant: string, taskId: string) => Promise<TraceCarrier | undefined>;
}

/** One claim in work: where the webhook stands, and how long it is ours. */
interface Work {
  readonly claim: PushClaim;
  readonly hook: Webhook;
  /** performance.now() at the claim, which Redis made at `claim.now`. */
  readonly began: number;
  /** Of the task, while traces are made. */
  readonly trace: TraceCarrier | undefined;
  cursor: EventId | undefined;
  frozen: number;
  tries: number;
  posts: number;
  /** performance.now() at which the claim ends. */
  until: number;
}

/**
 * Tells one webhook what it has not heard yet, one notification after the other, each confirmed in
 * Redis before the next: what is not confirmed is told again, by whoever has the claim then.
 */
export class PushCourier {
  private readonly logger = new Logger('Push');
  readonly claimMs: number;

  constructor(private readonly parts: CourierParts) {
    this.claimMs = parts.settings.timeoutMs + CLAIM_SPARE_MS;
  }

  /**
   * @param signal gives the claim back as soon as the delivery in flight is over.
   * @param cut ends that one, too.
   * @throws Error when Redis does not answer: the claim then ends by itself.
   */
  async deliver(
    claim: PushClaim,
    began: number,
    signal: AbortSignal,
    cut: AbortSignal,
  ): Promise<void> {
    const { store, notifications, formats, traceOf } = this.parts;
    const hook = this.open(claim);
    if (hook === undefined) {
      await this.fail(
        { claim, began, tries: claim.tries },
        'unreadable',
        'another key',
        claim.frozen,
      );
      return;
    }
    const { cursor, frozen, tries } = claim;
    const trace = isTracing() ? await traceOf(claim.tenant, claim.taskId) : undefined;
    const work: Work = {
      claim,
      hook,
      began,
      trace,
      cursor,
      frozen,
      tries,
      posts: 0,
      until: began + this.claimMs,
    };
    for (;;) {
      const next = await notifications.next({
        tenant: claim.tenant,
        taskId: claim.taskId,
        cursor: work.cursor,
        frozen: work.frozen,
        wholeTask: formats[hook.version].wholeTask,
      });
      if (next === 'missing') return;
      for (const notification of next) {
        if (signal.aborted || work.posts >= MOST_POSTS) {
          await store.report(claim, { what: 'left', now: this.redisTime(work) });
          return;
        }
        if (!(await this.tell(work, notification, cut))) return;
      }
      // Nothing to tell and yet not at the head: the log was read between two writes; look again later.
      if (next.length === 0) {
        await store.report(claim, { what: 'left', now: this.redisTime(work) + 200 });
        return;
      }
    }
  }

  /** True when there is more to tell under this claim. */
  private async tell(
    work: Work,
    { event, upTo }: Notification | { event: undefined; upTo: EventId },
    cut: AbortSignal,
  ): Promise<boolean> {
    const { formats, settings, store } = this.parts;
    const { claim, hook } = work;
    if (event !== undefined) {
      // This process stood still, or Redis took long: the claim may be over before an answer came.
      if (performance.now() + settings.timeoutMs > work.until) return false;
      const format = formats[hook.version];
      const body = {
        contentType: format.contentType,
        text: format.encode(event),
        eventId: formatEventId(upTo),
      };
      work.posts += 1;
      const { outcome, detail } = await this.post(work, body, cut);
      if (outcome === 'gone') return this.drop(claim, outcome, detail);
      if (outcome !== 'sent') return this.fail(work, outcome, detail, upTo.seq);
      metrics.pushDeliveries.inc({ outcome });
    }
    work.tries = 0;
    work.frozen = 0;
    work.until = performance.now() + this.claimMs;
    const claimUntil = this.redisTime(work) + this.claimMs;
    const answer = await store.report(claim, { what: 'sent', cursor: upTo, claimUntil });
    work.cursor = upTo;
    return answer === 'more';
  }

  /** In a span of the task's trace, which the receiver may go on with. */
  private post(
    { claim, hook, trace, tries }: Work,
    body: PostBody,
    cut: AbortSignal,
  ): Promise<Posted> {
    const facts = {
      'nightjar.tenant': claim.tenant,
      'nightjar.task_id': claim.taskId,
      'nightjar.attempt': tries + 1,
    };
    return traced('webhook', { kind: 'client', parent: trace, facts }, async (span) => {
      const posted = await this.parts.poster.post(hook, body, cut);
      span.set({ 'nightjar.outcome': posted.outcome });
      if (posted.outcome !== 'sent') span.fail(posted.outcome);
      return posted;
    });
  }

  private async fail(
    work: Pick<Work, 'claim' | 'began' | 'tries'>,
    outcome: PushOutcome,
    detail: string,
    frozen: number,
  ): Promise<false> {
    const { settings, store } = this.parts;
    const { claim } = work;
    metrics.pushDeliveries.inc({ outcome });
    const now = this.redisTime(work);
    const tries = work.tries + 1;
    const since = work.tries === 0 || claim.since === 0 ? now : claim.since;
    if (now - since >= settings.giveUpSeconds * 1000) return this.drop(claim, 'gave_up', detail);
    const again = now + backOffMs(tries, settings);
    this.logger.debug({ msg: 'webhook failed', ...whose(claim), outcome, detail, tries });
    await store.report(claim, { what: 'failed', again, tries, since, frozen });
    return false;
  }

  private async drop(claim: PushClaim, outcome: PushOutcome, detail: string): Promise<false> {
    metrics.pushDeliveries.inc({ outcome });
    this.logger.warn({ msg: 'webhook dropped', ...whose(claim), outcome, detail });
    await this.parts.store.report(claim, { what: 'dropped' });
    return false;
  }

  private open(claim: PushClaim): Webhook | undefined {
    const text = this.parts.sealer.open(
      claim.sealed,
      placeOf(claim.tenant, claim.taskId, claim.hookId),
    );
    return text === undefined ? undefined : (JSON.parse(text) as Webhook);
  }

  /** Redis' time now, ms, by its time at the claim. */
  private redisTime({ claim, began }: Pick<Work, 'claim' | 'began'>): number {
    return Math.round(claim.now + performance.now() - began);
  }
}

/** Where a sealed webhook belongs. */
export function placeOf(tenant: string, taskId: string, hookId: string): readonly string[] {
  return [tenant, taskId, hookId];
}

function whose({ tenant, taskId, hookId }: PushClaim): Record<string, string> {
  return { tenant, task: taskId, webhook: hookId };
}
