import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuthenticatedRequest } from '../auth/principal.js';
import { countedToken } from '../domain/call-context.js';
import { rateLimitFields } from '../domain/rate-limit-fields.js';
import { tokenOf } from './ctx.decorator.js';
import { noteRateRefusal, REFUSES_RATES_ITSELF } from './rate-refusal.js';
import { RequestRates } from './request-rates.js';
import { TenantDirectory } from './tenant.directory.js';

/** Fastify's, as far as it is needed here. */
interface Reply {
  headers(values: Readonly<Record<string, string>>): unknown;
}

/**
 * Holds requests to the rates of their token, user and tenant. Stands behind TenantGuard, so that
 * only calls that would be served take something of a rate; an admin has no tenant and no rates.
 * @throws DomainError RATE; a route with @RefusesRatesItself() finds it in `rateRefusalOf`.
 */
@Injectable()
export class RateGuard implements CanActivate {
  constructor(
    private readonly directory: TenantDirectory,
    private readonly rates: RequestRates,
    private readonly reflector: Reflector,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { user: principal } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (principal === undefined || !this.directory.has(principal.tenant)) return true;
    const { tenant, user } = principal;
    const caller = { tenant, user, token: countedToken(tokenOf(principal)) };
    const verdict = this.rates.take(caller, this.directory.limitsOf(tenant));
    return verdict === undefined || this.follow(verdict, context);
  }

  private async follow(
    judged: NonNullable<ReturnType<RequestRates['take']>>,
    context: ExecutionContext,
  ): Promise<boolean> {
    const verdict = await judged;
    const http = context.switchToHttp();
    if (verdict.refusal === undefined) {
      http.getResponse<Reply>().headers(rateLimitFields(verdict.left));
      return true;
    }
    if (this.reflector.get<unknown>(REFUSES_RATES_ITSELF, context.getHandler()) !== true) {
      throw verdict.refusal;
    }
    noteRateRefusal(http.getRequest<AuthenticatedRequest>().raw, verdict.refusal);
    return true;
  }
}
