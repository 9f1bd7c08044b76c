import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import type { OidcIssuer } from '../../config/oidc.types.js';
import { readIssuerDocument } from './issuer-documents.js';
import { IssuerFault, type IssuerHttp } from './issuer-http.js';

export interface KeyTimes {
  /** Older keys are asked for again, behind the requests that they still serve. */
  readonly freshMs: number;
  /** Older ones are believed no more, whatever the issuer does. */
  readonly staleMs: number;
  /** Between two questions, whoever asks: tokens of strangers must not load the issuer through us. */
  readonly coolMs: number;
  /** The same after a question that failed. */
  readonly retryMs: number;
}

const TIMES: KeyTimes = {
  freshMs: 10 * 60_000,
  staleMs: 24 * 3600_000,
  coolMs: 10_000,
  retryMs: 3000,
};

interface Known {
  readonly keys: LocalJWKSet;
  readonly at: number;
}

/**
 * An issuer's public keys. A key that is not known is looked for at once, so that a rotation costs
 * one question; keys that are known go on working while the issuer is away. jose's own remote set
 * would let every request wait for, and fail with, an issuer whose keys are ten minutes old.
 */
export class IssuerKeys {
  private known: Known | undefined;
  private asked = Number.NEGATIVE_INFINITY;
  private failure: IssuerFault | undefined;
  private asking: Promise<void> | undefined;

  constructor(
    private readonly issuer: OidcIssuer,
    private readonly http: IssuerHttp,
    private readonly times: KeyTimes = TIMES,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * The keys as they are known; asked for when there are none.
   * @throws IssuerFault when the issuer does not give them.
   */
  async current(): Promise<LocalJWKSet> {
    const { known } = this;
    const age = known === undefined ? Number.POSITIVE_INFINITY : this.now() - known.at;
    if (known === undefined || age > this.times.staleMs) {
      await this.refresh();
      return this.required();
    }
    if (age > this.times.freshMs) void this.refresh().catch(() => undefined);
    return known.keys;
  }

  /**
   * The keys after a look for one that `before` does not have; undefined when there are no newer
   * ones, since the issuer was asked just now.
   * @throws IssuerFault when the last look failed: whether the key is the issuer's cannot be said.
   */
  async newer(before: LocalJWKSet): Promise<LocalJWKSet | undefined> {
    await this.refresh();
    const { keys } = this.known ?? {};
    return keys === before ? undefined : keys;
  }

  /** @throws the last failure, while it is too early to ask again. */
  private async refresh(): Promise<void> {
    const { coolMs, retryMs } = this.times;
    const pause = this.failure === undefined ? coolMs : retryMs;
    if (this.asking === undefined && this.now() - this.asked < pause) {
      if (this.failure !== undefined) throw this.failure;
      return;
    }
    this.asking ??= this.ask().finally(() => {
      this.asking = undefined;
    });
    await this.asking;
  }

  private async ask(): Promise<void> {
    this.asked = this.now();
    try {
      const at = this.now();
      this.known = { keys: await readKeys(this.issuer, this.http), at };
      this.failure = undefined;
    } catch (error) {
      this.failure = asFault(error, this.issuer.issuer);
      throw this.failure;
    }
  }

  private required(): LocalJWKSet {
    if (this.known === undefined) throw new Error('bug: the keys were read and are not there');
    return this.known.keys;
  }
}

function asFault(error: unknown, issuer: string): IssuerFault {
  if (error instanceof IssuerFault) return error;
  return new IssuerFault(issuer, 'its keys cannot be read', undefined, error);
}

/** @throws IssuerFault */
export async function readKeys(issuer: OidcIssuer, http: IssuerHttp): Promise<LocalJWKSet> {
  const url = issuer.jwksUri ?? (await readIssuerDocument(issuer, http)).jwksUri;
  if (url === undefined) throw new IssuerFault(issuer.issuer, 'its document names no jwks_uri');
  const document = await http.get(url);
  try {
    return createLocalJWKSet(document as unknown as JSONWebKeySet);
  } catch (error) {
    throw new IssuerFault(url, 'the answer is no set of keys (JWKS)', undefined, error);
  }
}
