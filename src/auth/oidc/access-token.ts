import { errors, type JWTPayload, jwtVerify, type LocalJWKSet } from 'jose';
import type { OidcIssuer } from '../../config/oidc.types.js';
import type { IssuerKeys } from './issuer-keys.js';
import { RefusedToken, type TokenFault } from './refused-token.js';

/** Media types of access tokens (RFC 9068 section 2.1; the rest say nothing, or only that it's a JWT). */
const TYPES = new Set(['at+jwt', 'application/at+jwt']);
const PLAIN_TYPES = new Set(['jwt', 'application/jwt']);
/** What Keycloak writes into its other tokens. */
const OTHER_TYPES = new Set(['id', 'refresh', 'offline', 'logout']);
/** What only an ID token has (OpenID Connect Core sections 3.1.3.6, 3.3.2.11). */
const OF_ID_TOKENS = ['at_hash', 'c_hash'];
/** More keys of one kind without ids than any rotation needs. */
const MOST_KEYS = 4;

/**
 * The claims of a JWT that this issuer has signed as an access token and that holds now. Its audience
 * is not looked at here.
 * @throws RefusedToken; IssuerFault when the issuer's keys cannot be had.
 */
export async function checkAccessToken(
  token: string,
  issuer: OidcIssuer,
  keys: IssuerKeys,
): Promise<JWTPayload> {
  const known = await keys.current();
  try {
    return await verify(token, issuer, known);
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw refusal(error);
  }
  const newer = await keys.newer(known);
  if (newer === undefined) throw new RefusedToken('key');
  try {
    return await verify(token, issuer, newer);
  } catch (error) {
    throw refusal(error);
  }
}

async function verify(token: string, issuer: OidcIssuer, keys: LocalJWKSet): Promise<JWTPayload> {
  const options = {
    issuer: issuer.issuer,
    algorithms: [...issuer.algorithms],
    clockTolerance: issuer.clockSkewSeconds,
    requiredClaims: ['exp', 'sub', 'aud'],
  };
  const { payload, protectedHeader } = await jwtVerify(token, keys, options).catch(
    async (error: unknown) => {
      // No `kid` in it, and several keys that it could mean.
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      let tried = 0;
      for await (const key of error) {
        if (tried === MOST_KEYS) break;
        tried += 1;
        try {
          return await jwtVerify(token, key, options);
        } catch (failure) {
          if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    },
  );
  checkType(protectedHeader.typ, payload, issuer.requireTyp);
  checkIssuedAt(payload, issuer.clockSkewSeconds);
  // Bound to a key that a Bearer cannot prove to have (RFC 9449 section 7.1, RFC 8705 section 3).
  if (payload['cnf'] !== undefined) throw new RefusedToken('bound');
  return payload;
}

function checkType(header: unknown, payload: JWTPayload, required: boolean): void {
  const typ = typeof header === 'string' ? header.toLowerCase() : '';
  const inside = payload['typ'];
  const isFine = TYPES.has(typ) || (!required && (header === undefined || PLAIN_TYPES.has(typ)));
  const isOther = typeof inside === 'string' && OTHER_TYPES.has(inside.toLowerCase());
  if (!isFine || isOther || OF_ID_TOKENS.some((claim) => claim in payload)) {
    throw new RefusedToken('type');
  }
}

function checkIssuedAt({ iat }: JWTPayload, skewSeconds: number): void {
  if (iat !== undefined && iat > Date.now() / 1000 + skewSeconds) throw new RefusedToken('not-yet');
}

function refusal(error: unknown): unknown {
  const fault = faultOf(error);
  return fault === undefined ? error : new RefusedToken(fault);
}

function faultOf(error: unknown): TokenFault | undefined {
  if (error instanceof errors.JWTExpired) return 'expired';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'nbf') return 'not-yet';
    return error.claim === 'iss' ? 'issuer' : 'claims';
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return 'algorithm';
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'signature';
  if (error instanceof errors.JWKSNoMatchingKey) return 'key';
  if (error instanceof errors.JOSEError) return 'malformed';
  // What jose says of a key that is too weak, or of another kind than it claims to be.
  return error instanceof TypeError ? 'key' : undefined;
}
