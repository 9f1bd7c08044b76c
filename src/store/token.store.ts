/** A token as it is stored: never the secret, only its hash. Times in milliseconds since the epoch. */
export interface TokenRecord {
  /** Lower-case hex. */
  readonly sha256: string;
  readonly tenant: string;
  readonly user: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly created: number;
  /** Absent: the token does not expire. */
  readonly expires?: number;
  /** Since when it is refused. */
  readonly revoked?: number;
}

/** The tokens made by `nightjar token create`. */
export interface TokenStore {
  /** Revoked and expired tokens too, as long as they are kept (30 days). */
  find(sha256: string): Promise<TokenRecord | undefined>;
  create(record: TokenRecord): Promise<void>;
  /** How many tokens a tenant has, those that no longer work included. */
  count(tenant: string): Promise<number>;
  /** Newest first. Of every tenant when none is named. */
  list(tenant?: string): Promise<TokenRecord[]>;
  /** False for a token that is not there; true again for one that is revoked already. */
  revoke(sha256: string, at: number): Promise<boolean>;
}
export const TokenStore = Symbol('TokenStore');
