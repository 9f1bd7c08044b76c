import { createHash } from 'node:crypto';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/public.decorator.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import type { JsonObject } from '../../domain/a2a.js';
import { noteRequest } from '../../metrics/request-notes.js';
import { baseUrlOf } from '../http/base-url.js';
import { PRODUCT } from '../http/product.js';
import { pathNotFound } from '../http/path-not-found.js';
import { addVary, FORWARDED } from '../http/site-guard.js';
import { AddressList } from '../../domain/address-list.js';
import { requestedVersion } from '../wire/a2a-version.js';
import { agentCards } from './agent-card.js';
import { CardSigner } from './card-signer.js';

interface Document {
  readonly body: string;
  readonly etag: string;
}

/** Base URLs are few, but Host is the caller's to choose: beyond this, cards are made anew. */
const MAX_CACHED = 64;

/** The agent card, for everyone, at the path of A2A 0.3 and 1.0 and at that of 0.2. */
@Public()
@Controller('.well-known')
export class AgentCardController {
  private readonly cache = new Map<string, Promise<{ v1: Document; v03: Document }>>();
  private readonly proxies: AddressList;

  constructor(
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    private readonly signer: CardSigner,
  ) {
    this.proxies = new AddressList(config.trustedProxies);
  }

  @Get(['agent-card.json', 'agent.json'])
  async card(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    noteRequest(request.raw, { surface: 'a2a-card', method: 'GetAgentCard' });
    const cards = await this.cardsFor(baseUrlOf(request, this.config, this.proxies));
    const { body, etag } = wants03(request) ? cards.v03 : cards.v1;
    addVary(reply, this.config.publicUrl ? 'A2A-Version' : `A2A-Version, ${FORWARDED}`);
    reply
      .header('etag', etag)
      .header('cache-control', 'public, max-age=300')
      .header('last-modified', PRODUCT.builtAt.toUTCString());
    if (isFresh(request.headers['if-none-match'], etag)) {
      reply.code(304).send();
      return;
    }
    reply.code(200).header('content-type', 'application/json').send(body);
  }

  /** What the cards' signatures are checked with. */
  @Get('jwks.json')
  keys(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    noteRequest(request.raw, { surface: 'a2a-card', method: 'GetJwks' });
    if (this.signer.jwks === undefined) throw pathNotFound(this.config);
    reply
      .code(200)
      .header('cache-control', 'public, max-age=300')
      .header('content-type', 'application/jwk-set+json')
      .send(JSON.stringify(this.signer.jwks));
  }

  private cardsFor(baseUrl: string): Promise<{ v1: Document; v03: Document }> {
    const known = this.cache.get(baseUrl);
    if (known !== undefined) return known;
    const made = this.makeCards(baseUrl);
    if (this.cache.size < MAX_CACHED) this.cache.set(baseUrl, made);
    return made;
  }

  private async makeCards(baseUrl: string): Promise<{ v1: Document; v03: Document }> {
    const { auth, push } = this.config;
    const { v1, v03 } = agentCards({
      baseUrl,
      headerName: auth.headerName,
      issuers: auth.oidc,
      pushNotifications: push !== undefined,
    });
    return {
      v1: documentOf(v1, await this.signer.sign(v1, baseUrl)),
      v03: documentOf(v03, await this.signer.sign03(v03, baseUrl)),
    };
  }
}

/**
 * Only 0.3, asked for or by silence. A version that is not spoken here gets the 1.0 card: the card
 * is where a client finds out which ones are.
 */
function wants03(request: FastifyRequest): boolean {
  const version = requestedVersion(request.headers, request.query);
  return version === undefined || version.startsWith('0.');
}

/** Weak comparison over a list (RFC 9110 section 13.1.2). */
function isFresh(header: string | undefined, etag: string): boolean {
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  const candidates = (header ?? '').split(',').map(opaque);
  return candidates.includes('*') || candidates.includes(opaque(etag));
}

/**
 * A signature is another one each time, and on each instance: the tag is then that of the card
 * without it, and weak.
 */
function documentOf(card: JsonObject, signed = card): Document {
  const digest = createHash('sha256').update(JSON.stringify(card)).digest('base64url');
  const tag = `"${digest.slice(0, 22)}"`;
  return { body: JSON.stringify(signed), etag: signed === card ? tag : `W/${tag}` };
}
