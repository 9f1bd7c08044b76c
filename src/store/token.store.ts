/** A token as it is stored: never the secret, only its hash. Times in milliseconds since the epoch. */
export interface TokenRecord {
  /** Lower-case hex. */
  readonly sha256: string;
  /** SYSTEM_TENANT for an admin's. */
  readonly tenant: string;
  readonly user: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly created: number;
  /** Absent: the token does not expire. */
  readonly expires?: number;
  /** Since when it is refused. */
  readonly revoked?: number;
  /** Addresses and CIDRs from which it may be used; absent: from anywhere. */
  readonly addresses?: readonly string[];
  /** When it was last accepted, to within a minute. */
  readonly lastUsed?: number;
  /** SHA-256 of the token in whose place it was made. */
  readonly replaces?: string;
  /** SHA-256 of the token that was made in its place last. */
  readonly successor?: string;
  /** SHA-256 of the first of those that replaced each other; absent: the token itself. */
  readonly line?: string;
}

/** What a token is called in lists and logs: enough of its hash to find it by. */
export function tokenId(sha256: string): string {
  return sha256.slice(0, 16);
}

/** Who takes the place of a token that is ended. */
export interface Succession {
  readonly successor: string;
  /** The successor that it had when it was looked at. */
  readonly seen: string | undefined;
}

/** Why a token stops to work: at once, or when a time has come. */
export type TokenEnd = 'revoked' | 'expires';

/** The tokens made by `nightjar token` and the admin API. */
export interface TokenStore {
  /** Revoked and expired tokens too, as long as they are kept (30 days). */
  find(sha256: string): Promise<TokenRecord | undefined>;
  create(record: TokenRecord): Promise<void>;
  /** How many tokens a tenant has, those that no longer work included. */
  count(tenant: string): Promise<number>;
  /** Newest first. Of every tenant when none is named. */
  list(tenant?: string): Promise<TokenRecord[]>;
  /**
   * Ends a token, never later than it would have ended. False for a token that is not there, or that
   * has another successor than was seen; true again for one that is revoked already.
   */
  end(sha256: string, how: TokenEnd, at: number, succession?: Succession): Promise<boolean>;
  /** Notes that a token was used; more than once a minute it does nothing. */
  touch(sha256: string, at: number): Promise<void>;
  /** Every token of a tenant is gone. */
  purge(tenant: string): Promise<void>;
}
export const TokenStore = Symbol('TokenStore');
