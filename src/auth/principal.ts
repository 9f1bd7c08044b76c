/** Whom a token proves: what the guard puts on the request, and all that is known of the caller. */
export interface Principal {
  readonly tenant: string;
  readonly user: string;
  readonly scopes: readonly string[];
}
