import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { Inject, Injectable } from '@nestjs/common';
import { readSigningKey, signingAlgorithm } from '../../config/build-card.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import type { JsonObject } from '../../domain/a2a.js';

/** Where verifiers find the public key; named in each signature. */
export const JWKS_PATH = '/.well-known/jwks.json';

/** What a JWK's thumbprint is made of (RFC 7638 section 3.2), by key type. */
const THUMBPRINT: Readonly<Record<string, readonly (keyof JsonWebKey)[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/**
 * Signs 1.0 agent cards (spec 8.4: JWS over the card in JCS) with the configured key. The SDK's
 * canonical form is used, so that what is signed is what its verifiers compute from the served JSON.
 */
@Injectable()
export class CardSigner {
  /** The public key set; undefined when no key is configured. */
  readonly jwks: JsonObject | undefined;
  private readonly key: KeyObject | undefined;
  private readonly header: { readonly alg: string; readonly kid: string } | undefined;

  constructor(@Inject(GATEWAY_CONFIG) { card }: GatewayConfig) {
    if (card === undefined) return;
    this.key = readSigningKey(card.signingKey);
    const alg = signingAlgorithm(this.key);
    if (alg === undefined) throw new Error('bug: a signing key that the configuration refuses');
    const jwk = createPublicKey(this.key).export({ format: 'jwk' });
    this.header = { alg, kid: card.keyId ?? thumbprintOf(jwk) };
    this.jwks = { keys: [{ ...(jwk as JsonObject), ...this.header, use: 'sig' }] };
  }

  /** The card with its signature; as it is when no key is configured. */
  async sign(card: JsonObject, baseUrl: string): Promise<JsonObject> {
    if (this.key === undefined || this.header === undefined) return card;
    const protectedHeader = { ...this.header, typ: 'JOSE', jku: `${baseUrl}${JWKS_PATH}` };
    const signer = generateAgentCardSignature(this.key, protectedHeader);
    // The JSON itself, which is what the SDK's canonical form starts from: of its own in-memory shape
    // it would drop the security schemes (a2a-js #663).
    const { signatures } = await signer(card as unknown as AgentCard);
    return {
      ...card,
      signatures: signatures.map((one) => ({ protected: one.protected, signature: one.signature })),
    };
  }
}

function thumbprintOf(jwk: JsonWebKey): string {
  const names = THUMBPRINT[jwk.kty ?? ''] ?? [];
  const members = Object.fromEntries(names.map((name) => [name, jwk[name]]));
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}
