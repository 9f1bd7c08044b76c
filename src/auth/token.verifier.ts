import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig, type TokenConfig } from '../config/config.types.js';
import { hashToken, tokenSecretFault } from '../config/token-secret.js';
import { AddressList } from '../domain/address-list.js';
import { unavailable } from '../domain/errors.js';
import { type TokenRecord, TokenStore } from '../store/token.store.js';
import { ExpiringMap } from './expiring-map.js';
import { N9eIdentity } from './n9e-identity.js';
import type { Principal } from './principal.js';

/** A revoked token works for at most so long on any instance: the revocation guarantee. */
export const CACHE_MS = 1000;
/** Between two notes of this instance that a token was used. */
const TOUCH_MS = 60_000;
/** Entries of each cache; a flood of wrong tokens cannot grow it, nor push out the right ones. */
const CACHE_MAX = 10_000;

/** A token of the store, with what is made of it once for all its requests. */
interface Known {
  readonly record: TokenRecord;
  readonly principal: Principal;
}

/** Why a token is refused, for logs and the audit; the caller is told nothing of it. */
export type Refused = 'unknown' | 'expired' | 'revoked';

/** Says whom a token proves: one of the configuration's, or one in the store. */
@Injectable()
export class TokenVerifier {
  private readonly logger = new Logger(TokenVerifier.name);
  private configured: ReadonlyMap<string, Principal> = new Map();
  private readonly known = new ExpiringMap<Known>(CACHE_MS, CACHE_MAX, monotonic);
  private readonly unknown = new ExpiringMap<true>(CACHE_MS, CACHE_MAX, monotonic);
  private readonly touched = new ExpiringMap<true>(TOUCH_MS, CACHE_MAX, monotonic);
  private readonly asking = new Map<string, Promise<Known | undefined>>();

  constructor(
    @Inject(GATEWAY_CONFIG) config: GatewayConfig,
    @Inject(TokenStore) private readonly store: TokenStore,
    /** Who is asked about a token that is none of ours. */
    @Optional() private readonly n9e?: N9eIdentity,
  ) {
    this.configure(config.tokens);
  }

  /** Takes the place of the configured tokens so far; requests that are under way go on. */
  configure(tokens: readonly TokenConfig[]): void {
    this.configured = new Map(tokens.map((token) => [token.sha256, principalOf(token)]));
  }

  /**
   * Undefined for a token that is unknown, expired or revoked.
   * @throws DomainError UNAVAILABLE when Redis cannot say.
   */
  async verify(secret: string): Promise<Principal | undefined> {
    if (tokenSecretFault(secret) !== undefined) return undefined;
    const sha256 = hashToken(secret);
    const configured = this.configured.get(sha256);
    if (configured !== undefined) return isOver(configured) ? undefined : configured;
    const isUnknown = this.unknown.get(sha256) !== undefined;
    const known = isUnknown ? undefined : (this.known.get(sha256) ?? (await this.ask(sha256)));
    if (known === undefined) return this.n9e?.identify(secret, sha256);
    return isValid(known.record) ? known.principal : undefined;
  }

  /**
   * Whether whom a token has proved would be let in again, as of now.
   * @throws DomainError UNAVAILABLE when Redis cannot say.
   */
  async stands({ sha256 }: Principal): Promise<boolean> {
    const configured = this.configured.get(sha256);
    if (configured !== undefined) return !isOver(configured);
    const known = await this.ask(sha256);
    if (known === undefined) return (await this.n9e?.stands(sha256)) ?? false;
    return isValid(known.record);
  }

  /** Why `verify` has just said no. */
  refusalOf(secret: string): { readonly reason: Refused; readonly sha256?: string } {
    const sha256 = hashToken(secret);
    const configured = this.configured.get(sha256);
    if (configured !== undefined) return { reason: 'expired', sha256 };
    const record = this.known.get(sha256)?.record;
    if (record === undefined) return { reason: 'unknown' };
    return { reason: record.revoked === undefined ? 'expired' : 'revoked', sha256 };
  }

  /** A token of the store was accepted: its last use is noted now and then, and never waited for. */
  noteUse({ sha256, busiGroups }: Principal): void {
    // A token of n9e is none of the store's.
    if (busiGroups !== undefined) return;
    if (this.configured.has(sha256) || this.touched.get(sha256) !== undefined) return;
    this.touched.set(sha256, true, monotonic());
    this.store.touch(sha256, Date.now()).catch((error: unknown) => {
      this.logger.debug({ msg: 'the last use of a token could not be noted', err: error });
    });
  }

  /** Concurrent requests with one token share one question. */
  private ask(sha256: string): Promise<Known | undefined> {
    const running = this.asking.get(sha256);
    if (running !== undefined) return running;
    const question = this.lookUp(sha256).finally(() => this.asking.delete(sha256));
    this.asking.set(sha256, question);
    return question;
  }

  private async lookUp(sha256: string): Promise<Known | undefined> {
    // The answer may be as old as the question, so the cache's time runs from there.
    const since = monotonic();
    let record: TokenRecord | undefined;
    try {
      record = await this.store.find(sha256);
    } catch (error) {
      throw unavailable('The token cannot be checked right now', error);
    }
    if (record === undefined) {
      this.unknown.set(sha256, true, since);
      return undefined;
    }
    const known = { record, principal: principalOf(record) };
    this.known.set(sha256, known, since);
    return known;
  }
}

function isValid(record: TokenRecord): boolean {
  return record.revoked === undefined && !isOver(record);
}

function isOver({ expires }: { readonly expires?: number }): boolean {
  return expires !== undefined && expires <= Date.now();
}

function principalOf(token: TokenRecord | TokenConfig): Principal {
  const { tenant, user, scopes, sha256, expires, addresses } = token;
  return {
    tenant,
    user,
    scopes,
    sha256,
    ...(expires === undefined ? {} : { expires }),
    ...(addresses === undefined ? {} : { addresses: new AddressList(addresses) }),
  };
}

/** Unlike the wall clock it never goes back, which would stretch a cached answer's life. */
function monotonic(): number {
  return performance.now();
}
