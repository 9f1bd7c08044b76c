/** Why an access token is not accepted: a word for the log and the audit, never for its bearer. */
export type TokenFault =
  | 'issuer'
  | 'malformed'
  | 'algorithm'
  | 'type'
  | 'key'
  | 'signature'
  | 'audience'
  | 'expired'
  | 'not-yet'
  | 'claims'
  | 'bound'
  | 'inactive';

/** An access token that proves nothing here. */
export class RefusedToken extends Error {
  constructor(readonly fault: TokenFault) {
    super(`the access token is refused: ${fault}`);
    this.name = 'RefusedToken';
  }
}
