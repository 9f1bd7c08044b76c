import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig, type TokenConfig } from '../config/config.types.js';
import { hashToken, tokenSecretFault } from '../config/token-secret.js';
import { AddressList } from '../domain/address-list.js';
import { unavailable } from '../domain/errors.js';
import { type TokenRecord, TokenStore } from '../store/token.store.js';
import { ExpiringMap } from './expiring-map.js';
import { N9eIdentity } from './n9e-identity.js';
import { OidcIdentity } from './oidc/oidc-identity.js';
import type { TokenFault } from './oidc/refused-token.js';
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
export type Refused = 'unknown' | 'expired' | 'revoked' | TokenFault;

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
    @Optional() private readonly oidc?: OidcIdentity,
  ) {
    this.configure(config.tokens);
  }

  /** Takes the place of the configured tokens so far; requests that are under way go on. */
  configure(tokens: readonly TokenConfig[]): void {
    this.configured = new Map(tokens.map((token) => [token.sha256, principalOf(token)]));
  }

  /**
   * Undefined for a token that is unknown, expired or revoked.
   * @throws DomainError UNAVAILABLE when Redis, or whoever made the token, cannot say;
   * PERMISSION_DENIED for an issuer's token that leads to no tenant.
   */
  async verify(secret: string): Promise<Principal | undefined> {
    const sha256 = hashToken(secret);
    // First of all: a JWT is shown to nobody but its issuer.
    if (this.oidc?.claims(secret) === true && !this.configured.has(sha256)) {
      return this.oidc.identify(secret, sha256);
    }
    if (tokenSecretFault(secret) !== undefined) return this.fromElsewhere(secret, sha256);
    const configured = this.configured.get(sha256);
    if (configured !== undefined) return isOver(configured) ? undefined : configured;
    const isUnknown = this.unknown.get(sha256) !== undefined;
    const known = isUnknown ? undefined : (this.known.get(sha256) ?? (await this.ask(sha256)));
    if (known !== undefined) return isValid(known.record) ? known.principal : undefined;
    return (await this.n9e?.identify(secret, sha256)) ?? this.fromElsewhere(secret, sha256);
  }

  /**
   * Whether whom a token has proved would be let in again, as of now.
   * @throws DomainError UNAVAILABLE when Redis cannot say.
   */
  async stands({ sha256, id }: Principal): Promise<boolean> {
    const configured = this.configured.get(sha256);
    if (configured !== undefined) return !isOver(configured);
    // What the issuer said stands where no other place knows the token.
    if (id !== undefined) return (await this.oidc?.stands(sha256)) ?? false;
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
    if (record === undefined) return { reason: this.oidc?.refusalOf(sha256) ?? 'unknown' };
    return { reason: record.revoked === undefined ? 'expired' : 'revoked', sha256 };
  }

  /** A token of the store was accepted: its last use is noted now and then, and never waited for. */
  noteUse({ sha256, busiGroups, id }: Principal): void {
    // A token of n9e or of an issuer is none of the store's.
    if (busiGroups !== undefined || id !== undefined) return;
    if (this.configured.has(sha256) || this.touched.get(sha256) !== undefined) return;
    this.touched.set(sha256, true, monotonic());
    this.store.touch(sha256, Date.now()).catch((error: unknown) => {
      this.logger.debug({ msg: 'the last use of a token could not be noted', err: error });
    });
  }

  /** An opaque token that no place of ours knows: an issuer may. */
  private async fromElsewhere(secret: string, sha256: string): Promise<Principal | undefined> {
    if (this.oidc?.mayKnow(secret) !== true) return undefined;
    return this.oidc.identify(secret, sha256);
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
  const line = 'line' in token ? token.line : undefined;
  return {
    tenant,
    user,
    scopes,
    sha256,
    ...(expires === undefined ? {} : { expires }),
    ...(addresses === undefined ? {} : { addresses: new AddressList(addresses) }),
    ...(line === undefined ? {} : { line }),
  };
}

/** Unlike the wall clock it never goes back, which would stretch a cached answer's life. */
function monotonic(): number {
  return performance.now();
}
