import { createHash, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { type AgentCard, generateAgentCardSignature } from '@a2a-js/sdk';
import { Inject, Injectable } from '@nestjs/common';
import { FlattenedSign } from 'jose';
import { readSigningKey, signingAlgorithm } from '../../config/build-card.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import type { JsonObject } from '../../domain/a2a.js';
import { canonicalJson, canonicalOfPython03 } from './card-canonical.js';

/** Where verifiers find the public key; named in each signature. */
export const JWKS_PATH = '/.well-known/jwks.json';

/** What a JWK's thumbprint is made of (RFC 7638 section 3.2), by key type. */
const THUMBPRINT: Readonly<Record<string, readonly (keyof JsonWebKey)[]>> = {
  EC: ['crv', 'kty', 'x', 'y'],
  OKP: ['crv', 'kty', 'x'],
  RSA: ['e', 'kty', 'n'],
};

/** Signs agent cards (JWS, with the card as detached payload) with the configured key. */
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

  /**
   * A 1.0 card with its signature (spec 8.4), over the SDK's canonical form, so that what is signed is
   * what its verifiers compute from the served JSON; as it is when no key is configured.
   */
  async sign(card: JsonObject, baseUrl: string): Promise<JsonObject> {
    if (this.key === undefined || this.header === undefined) return card;
    const protectedHeader = this.protectedHeader(this.header, baseUrl);
    const signer = generateAgentCardSignature(this.key, protectedHeader);
    // The JSON itself, which is what the SDK's canonical form starts from: of its own in-memory shape
    // it would drop the security schemes (a2a-js #663).
    const { signatures } = await signer(card as unknown as AgentCard);
    return {
      ...card,
      signatures: signatures.map((one) => ({ protected: one.protected, signature: one.signature })),
    };
  }

  /**
   * A 0.3 card, whose specification leaves open what is signed: one signature over the card as served,
   * in JCS, and one over what the SDK for Python reads of it, the only one of 0.3 that verifies.
   */
  async sign03(card: JsonObject, baseUrl: string): Promise<JsonObject> {
    const { key, header } = this;
    if (key === undefined || header === undefined) return card;
    const protectedHeader = this.protectedHeader(header, baseUrl);
    const sign = async (payload: string): Promise<JsonObject> => {
      const signer = new FlattenedSign(Buffer.from(payload)).setProtectedHeader(protectedHeader);
      const { protected: head = '', signature } = await signer.sign(key);
      return { protected: head, signature };
    };
    const payloads = [canonicalJson(card), canonicalOfPython03(card)];
    return { ...card, signatures: await Promise.all(payloads.map(sign)) };
  }

  private protectedHeader(
    header: { readonly alg: string; readonly kid: string },
    baseUrl: string,
  ): { alg: string; kid: string; typ: string; jku: string } {
    return { ...header, typ: 'JOSE', jku: `${baseUrl}${JWKS_PATH}` };
  }
}

function thumbprintOf(jwk: JsonWebKey): string {
  const names = THUMBPRINT[jwk.kty ?? ''] ?? [];
  const members = Object.fromEntries(names.map((name) => [name, jwk[name]]));
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}
