import { ADMIN_SCOPE, DEFAULT_SCOPES, SYSTEM_TENANT } from '../auth/principal.js';
import { generateToken, hashToken } from '../config/token-secret.js';
import { DomainError } from '../domain/errors.js';
import type { RedisChangeStore } from '../store/redis-change.store.js';
import { tokenId, type TokenRecord, type TokenStore } from '../store/token.store.js';

/** So long the old token works beside the new one, unless something else is asked for. */
export const DEFAULT_OVERLAP_MS = 24 * 3600 * 1000;
/** Shorter beginnings of a hash name nothing. */
const ID = /^[0-9a-f]{8,64}$/;

/** A token to be made; checked by whoever took it from the outside. */
export interface NewToken {
  readonly tenant: string;
  readonly user: string;
  readonly label?: string | undefined;
  /** Absent: both surfaces. */
  readonly scopes?: readonly string[] | undefined;
  /** Ms since the epoch. */
  readonly expires?: number | undefined;
  readonly addresses?: readonly string[] | undefined;
}

/** The only time that the secret is known. */
export interface MadeToken {
  readonly secret: string;
  readonly record: TokenRecord;
}

/** What is done to tokens, for the CLI and the admin API alike. */
export class TokenAdmin {
  constructor(
    private readonly store: TokenStore,
    private readonly changes: Pick<RedisChangeStore, 'raise'>,
    private readonly now: () => number = Date.now,
  ) {}

  async create(token: NewToken): Promise<MadeToken> {
    const scopes = token.scopes ?? DEFAULT_SCOPES;
    if ((token.tenant === SYSTEM_TENANT) !== scopes.includes(ADMIN_SCOPE)) {
      throw new Error('bug: only an admin’s token has the scope admin and no tenant');
    }
    return this.make({ ...token, scopes });
  }

  /** Newest first; those that ended within the last 30 days too. */
  list(tenant?: string): Promise<TokenRecord[]> {
    return this.store.list(tenant);
  }

  /**
   * @param given the beginning of a token's hash, or the token itself.
   * @throws DomainError NOT_FOUND; INVALID_PARAMS when several tokens begin so.
   */
  async find(given: string): Promise<TokenRecord> {
    const id = ID.test(given) ? given : hashToken(given);
    const found = (await this.store.list()).filter(({ sha256 }) => sha256.startsWith(id));
    const [only, ...more] = found;
    if (only === undefined) throw new DomainError('NOT_FOUND', 'There is no such token');
    if (more.length === 0) return only;
    throw new DomainError(
      'INVALID_PARAMS',
      `${found.length} tokens start with ${id}: give more of it`,
    );
  }

  /** Refused from now on, everywhere within a second. @throws DomainError as `find`. */
  async revoke(given: string): Promise<TokenRecord> {
    const token = await this.find(given);
    await this.store.end(token.sha256, 'revoked', this.now());
    await this.changes.raise('tokens');
    return token;
  }

  /**
   * Makes a token for the same user with the same rights and lifetime. The old one works until the
   * overlap is over, so that nobody is cut off in between; what its user owns is owned as before.
   * A token has one successor: whoever repeats a rotation whose answer was lost is told of it.
   * @throws DomainError as `find`; FAILED_PRECONDITION for a token that has ended, or whose successor
   * has not.
   */
  async rotate(
    given: string,
    { overlapMs = DEFAULT_OVERLAP_MS, expires }: { overlapMs?: number; expires?: number } = {},
  ): Promise<MadeToken & { readonly old: TokenRecord }> {
    const old = await this.find(given);
    const now = this.now();
    if (hasEnded(old, now)) {
      throw new DomainError('FAILED_PRECONDITION', 'The token has ended; make a new one');
    }
    const before = old.successor === undefined ? undefined : await this.store.find(old.successor);
    if (before !== undefined && !hasEnded(before, now)) throw replaced(before.sha256);
    // The overlap has shortened the life of a token that was rotated before.
    const { created, expires: end } = before ?? old;
    const lifetime = end === undefined ? undefined : now + (end - created);
    const made = await this.make({ ...old, expires: expires ?? lifetime }, old);
    const successor = made.record.sha256;
    const succession = { successor, seen: old.successor };
    if (!(await this.store.end(old.sha256, 'expires', now + overlapMs, succession))) {
      await this.store.end(successor, 'revoked', now);
      throw replaced((await this.store.find(old.sha256))?.successor ?? old.sha256);
    }
    await this.changes.raise('tokens');
    const until = Math.min(old.expires ?? Infinity, now + overlapMs);
    return { ...made, old: { ...old, successor, expires: until } };
  }

  private async make(
    { tenant, user, label, scopes = DEFAULT_SCOPES, expires, addresses }: NewToken,
    replaced?: TokenRecord,
  ): Promise<MadeToken> {
    const secret = generateToken();
    const record: TokenRecord = {
      sha256: hashToken(secret),
      tenant,
      user,
      label: label ?? '',
      scopes: [...new Set(scopes)],
      created: this.now(),
      ...(expires === undefined ? {} : { expires }),
      ...(addresses === undefined ? {} : { addresses }),
      ...(replaced === undefined
        ? {}
        : { replaces: replaced.sha256, line: replaced.line ?? replaced.sha256 }),
    };
    await this.store.create(record);
    return { secret, record };
  }
}

function hasEnded({ revoked, expires = Infinity }: TokenRecord, now: number): boolean {
  return revoked !== undefined || expires <= now;
}

function replaced(successor: string): DomainError {
  const id = tokenId(successor);
  return new DomainError(
    'FAILED_PRECONDITION',
    `The token was rotated already: rotate ${id}, which took its place, or revoke that first`,
  );
}
