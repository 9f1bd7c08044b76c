import type { TOKEN_SCOPES } from './token-scopes.js';

type Scope = (typeof TOKEN_SCOPES)[number];

/** What an access token may be signed with: an issuer's public keys, never a shared secret. */
export const ASYMMETRIC_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

/** An authorization server whose access tokens are accepted. */
export interface OidcIssuer {
  /** Exactly as it stands in `iss`. */
  readonly issuer: string;
  /** What `aud` may name, on every surface. */
  readonly audiences: readonly string[];
  /** The gateway's own URL: `aud` may name it, or it with the path of the surface that is called. */
  readonly resource?: string;
  /** Absent: what OpenID Connect Discovery and RFC 8414 make of the issuer. */
  readonly discoveryUrl?: string;
  /** Absent: what discovery says. */
  readonly jwksUri?: string;
  readonly algorithms: readonly string[];
  /** The header must say `typ: at+jwt` (RFC 9068); else `JWT` and nothing do as well. */
  readonly requireTyp: boolean;
  readonly clockSkewSeconds: number;
  readonly allowHttp: boolean;
  /** Where discovery may lead, beside the issuer's host and what is public. */
  readonly allowPrivate: readonly string[];
  readonly claims: ClaimMapping;
  /** RFC 7662. Absent: JWTs are all that is accepted, and believed until they expire. */
  readonly introspection?: IntrospectionConfig;
}

/** The path to a claim, from the outside in. */
export type ClaimPath = readonly string[];

export interface ClaimMapping {
  readonly tenant:
    | { readonly value: string }
    /** Without a map the claim holds the tenant's id itself. */
    | { readonly claim: ClaimPath; readonly map?: Readonly<Record<string, string>> };
  readonly user: ClaimPath;
  /** Put before the claim's text: users of other issuers, and of Nightjar's own tokens, are others. */
  readonly userPrefix: string;
  readonly scopes: {
    /** What every token has. */
    readonly value: readonly Scope[];
    readonly claim?: ClaimPath;
    /** Absent: the claim names our scopes as they are. */
    readonly map?: Readonly<Record<string, readonly Scope[]>>;
    /** What a client asks the issuer for, to get a scope. */
    readonly requestAs: Readonly<Partial<Record<Scope, string>>>;
  };
}

export interface IntrospectionConfig {
  /** Absent: what discovery says. */
  readonly url?: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `all`: JWTs, too, so that a revoked one is refused before it expires. */
  readonly tokens: 'opaque' | 'all';
  /** For so long an answer is believed. */
  readonly cacheSeconds: number;
}
