import { createPrivateKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { GatewayConfig } from './config.types.js';
import type { GatewayDto } from './dto/gateway.dto.js';
import type { Faults } from './faults.js';
import type { SecretReader } from './secrets.js';

const PLACE = 'card.signingKey';
const RSA_BITS = 2048;

/** Nothing unless a key is configured: the agent cards are then served unsigned. */
export function buildCard({
  dto,
  secrets,
  faults,
}: {
  readonly dto: Pick<GatewayDto, 'card'>;
  readonly secrets: SecretReader;
  readonly faults: Faults;
}): Pick<GatewayConfig, 'card'> {
  const { signingKey, keyId } = dto.card ?? {};
  if (signingKey === undefined || faults.has(PLACE)) return {};
  const text = secrets.read(signingKey, PLACE);
  if (text === '') return {};
  const fault = signingKeyFault(text);
  if (fault !== undefined) {
    faults.add(PLACE, fault);
    return {};
  }
  return { card: { signingKey: text, ...(keyId === undefined ? {} : { keyId }) } };
}

/**
 * Reads a private key in PEM (PKCS #8, SEC 1 or PKCS #1) or as a JWK.
 * @throws Error for anything else.
 */
export function readSigningKey(text: string): KeyObject {
  if (!text.trimStart().startsWith('{')) return createPrivateKey(text);
  return createPrivateKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' });
}

/** The JWS algorithm (RFC 7518, RFC 8037) of a key; undefined for keys that no card is signed with. */
export function signingAlgorithm(key: KeyObject): string | undefined {
  const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'ec':
      if (namedCurve === 'prime256v1') return 'ES256';
      return namedCurve === 'secp384r1' ? 'ES384' : undefined;
    case 'ed25519':
      return 'EdDSA';
    case 'rsa':
      return modulusLength >= RSA_BITS ? 'RS256' : undefined;
    default:
      return undefined;
  }
}

function signingKeyFault(text: string): string | undefined {
  try {
    const known = signingAlgorithm(readSigningKey(text)) !== undefined;
    return known ? undefined : `must be a P-256, P-384, Ed25519 or RSA key of ${RSA_BITS} bits`;
  } catch {
    return 'must be a private key, as PEM or as a JWK';
  }
}
