import { Injectable, Logger } from '@nestjs/common';
import type { Meter, Shortage } from '../assistant/assistant-backend.js';
import { type CallContext, countedToken } from '../domain/call-context.js';
import type { Whose } from '../domain/limit.js';
import { DAY_SECONDS, limitReached, secondsOfDayLeft } from '../domain/limit-refusal.js';
import { metrics } from '../metrics/metrics.js';
import { RedisClock } from '../redis/redis.clock.js';
import { resend } from '../redis/redis-errors.js';
import { dailyLimits, type Spendable } from '../store/daily-limits.js';
import { RedisAllowanceStore, type Spending } from '../store/redis-allowance.store.js';
import { TenantDirectory } from '../tenant/tenant.directory.js';

/** So long what was used while Redis did not answer is told it again; a run ends sooner. */
const OWED_MS = 60_000;
const LIMIT_OF = { llm: 'llm_tokens', tools: 'tool_calls' } as const;

type What = Exclude<Spendable, 'tasks'>;
type By = Pick<CallContext, 'tenant' | 'user' | 'token' | 'line'>;

/** What a caller may still use today. */
export interface Allowance extends Pick<Meter, 'take' | 'correct'> {
  /** `take` for a caller that is to be refused. @throws DomainError QUOTA. */
  demand(what: What, amount: number): Promise<void>;
}

/**
 * The daily allowances of tokens and tool calls, over all instances. A tenant without any costs
 * nothing. While Redis does not answer nothing is refused, and what is used is counted afterwards:
 * a run that is under way ends by itself soon after Redis has gone.
 */
@Injectable()
export class AllowanceService {
  private readonly logger = new Logger(AllowanceService.name);

  constructor(
    private readonly tenants: TenantDirectory,
    private readonly store: RedisAllowanceStore,
    private readonly clock: RedisClock,
  ) {}

  of(by: By): Allowance {
    return {
      take: (what, amount) => this.take(by, what, amount),
      correct: (what, amount) => {
        this.correct(by, what, amount);
      },
      demand: (what, amount) => this.demand(by, what, amount),
    };
  }

  private async take(by: By, what: What, amount: number): Promise<Shortage | undefined> {
    const spending = this.spending(by, what, amount);
    if (spending === undefined) return undefined;
    const whose = await this.ask(spending);
    if (whose === undefined) return undefined;
    metrics.quotaRefusals.inc({ quota: `${LIMIT_OF[what]}_${whose}` });
    return { whose };
  }

  private async demand(by: By, what: What, amount: number): Promise<void> {
    const spending = this.spending(by, what, amount);
    if (spending === undefined) return;
    const whose = await this.ask(spending);
    if (whose === undefined) return;
    const left = secondsOfDayLeft(spending.at);
    const quota = spending.most[{ token: 0, user: 1, tenant: 2 }[whose]] ?? 0;
    const state = { quota, windowSeconds: DAY_SECONDS, resetSeconds: left };
    // Counted where it leaves for the caller.
    throw limitReached(LIMIT_OF[what], whose, state, left);
  }

  /** Whose allowance would be passed. */
  private async ask(spending: Spending): Promise<Whose | undefined> {
    try {
      return await this.store.take(spending);
    } catch (error) {
      this.logger.warn({
        msg: 'an allowance could not be asked for',
        what: spending.what,
        err: error,
      });
      this.owe(spending);
      return undefined;
    }
  }

  private correct(by: By, what: What, amount: number): void {
    const spending = amount === 0 ? undefined : this.spending(by, what, amount);
    if (spending !== undefined) this.owe(spending);
  }

  private owe(spending: Spending): void {
    resend(() => this.store.spend(spending), { forMs: OWED_MS }).catch((error: unknown) => {
      this.logger.warn({ msg: 'what was used of an allowance is not counted', err: error });
    });
  }

  /** Undefined where there is no limit. */
  private spending(by: By, what: What, amount: number): Spending | undefined {
    const { tenant, user } = by;
    const token = countedToken(by);
    const most = dailyLimits(what, { token, limits: this.tenants.limitsOf(tenant) });
    if (most.every((limit) => limit === 0)) return undefined;
    const generation = this.tenants.generationOf(tenant);
    return { tenant, generation, user, token, what, amount, at: this.clock.now(), most };
  }
}
