/** What a token may be used for; a token has both unless it was made with fewer. */
export const TOKEN_SCOPES = ['a2a', 'mcp'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** Whom a token proves: what the guard puts on the request, and all that is known of the caller. */
export interface Principal {
  readonly tenant: string;
  readonly user: string;
  readonly scopes: readonly string[];
}

/** The part of a request that authentication fills in. */
export interface AuthenticatedRequest {
  readonly id: string;
  /** Set by the guard on every route that is not public. */
  readonly user?: Principal;
}
