import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config/config.types.js';
import { hashToken, tokenSecretFault } from '../config/token-secret.js';
import { unavailable } from '../domain/errors.js';
import { type TokenRecord, TokenStore } from '../store/token.store.js';
import { ExpiringMap } from './expiring-map.js';
import type { Principal } from './principal.js';

/** A revoked token works for at most so long on any instance: the revocation guarantee. */
export const CACHE_MS = 1000;
/** Entries of each cache; a flood of wrong tokens cannot grow it, nor push out the right ones. */
const CACHE_MAX = 10_000;

/** Says whom a token proves: one of the configuration's, or one in the store. */
@Injectable()
export class TokenVerifier {
  private readonly configured: ReadonlyMap<string, Principal>;
  private readonly known = new ExpiringMap<TokenRecord>(CACHE_MS, CACHE_MAX, monotonic);
  private readonly unknown = new ExpiringMap<true>(CACHE_MS, CACHE_MAX, monotonic);
  private readonly asking = new Map<string, Promise<TokenRecord | undefined>>();

  constructor(
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    @Inject(TokenStore) private readonly store: TokenStore,
  ) {
    this.configured = new Map(
      config.tokens.map(({ sha256, tenant, user, scopes }) => [sha256, { tenant, user, scopes }]),
    );
  }

  /**
   * Undefined for a token that is unknown, expired or revoked.
   * @throws DomainError UNAVAILABLE when Redis cannot say.
   */
  async verify(secret: string): Promise<Principal | undefined> {
    if (tokenSecretFault(secret) !== undefined) return undefined;
    const sha256 = hashToken(secret);
    const configured = this.configured.get(sha256);
    if (configured !== undefined) return configured;
    if (this.unknown.get(sha256) !== undefined) return undefined;
    const record = this.known.get(sha256) ?? (await this.ask(sha256));
    return record !== undefined && isValid(record) ? principalOf(record) : undefined;
  }

  /** Concurrent requests with one token share one question. */
  private ask(sha256: string): Promise<TokenRecord | undefined> {
    const running = this.asking.get(sha256);
    if (running !== undefined) return running;
    const question = this.lookUp(sha256).finally(() => this.asking.delete(sha256));
    this.asking.set(sha256, question);
    return question;
  }

  private async lookUp(sha256: string): Promise<TokenRecord | undefined> {
    // The answer may be as old as the question, so the cache's time runs from there.
    const since = monotonic();
    let record: TokenRecord | undefined;
    try {
      record = await this.store.find(sha256);
    } catch (error) {
      throw unavailable('The token cannot be checked right now', error);
    }
    if (record === undefined) this.unknown.set(sha256, true, since);
    else this.known.set(sha256, record, since);
    return record;
  }
}

function isValid(record: TokenRecord): boolean {
  return (
    record.revoked === undefined && (record.expires === undefined || record.expires > Date.now())
  );
}

function principalOf({ tenant, user, scopes }: TokenRecord): Principal {
  return { tenant, user, scopes };
}

/** Unlike the wall clock it never goes back, which would stretch a cached answer's life. */
function monotonic(): number {
  return performance.now();
}
