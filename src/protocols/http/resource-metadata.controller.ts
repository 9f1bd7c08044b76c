import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/public.decorator.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import { noteRequest } from '../../metrics/request-notes.js';
import { pathOf } from './caller-protocol.js';
import { METADATA_PATH, requestNames, type Resource, RESOURCES } from './challenge.js';
import { pathNotFound } from './path-not-found.js';
import { PRODUCT } from './product.js';
import { addVary, FORWARDED } from './site-guard.js';

/**
 * OAuth 2.0 Protected Resource Metadata (RFC 9728): whose access tokens are good here, for everyone.
 * One document for the gateway and one for each surface, whose URLs are resources of their own.
 */
@Public()
@Controller()
export class ResourceMetadataController {
  private readonly publicPath: string;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {
    const { publicUrl } = config;
    this.publicPath = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  }

  @Get([METADATA_PATH, `${METADATA_PATH}/*`])
  metadata(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    noteRequest(request.raw, { surface: 'a2a-card', method: 'GetResourceMetadata' });
    const resource = this.resourceOf(pathOf(request.url).slice(METADATA_PATH.length));
    if (resource === undefined || this.config.auth.oidc.length === 0) {
      throw pathNotFound(this.config);
    }
    if (this.config.publicUrl === undefined) addVary(reply, FORWARDED);
    reply
      .code(200)
      .header('cache-control', 'public, max-age=300')
      .header('content-type', 'application/json')
      .send(JSON.stringify(this.document(reply.server.baseUrlOf?.(request) ?? '', resource)));
  }

  /**
   * Of a gateway below a path the resource is at `/that/path/mcp`, and its metadata at the well-known
   * path before that (section 3.1); a proxy may leave the path in, or take it away.
   */
  private resourceOf(rest: string): Resource | '' | undefined {
    const inside =
      this.publicPath !== '' && `${rest}/`.startsWith(`${this.publicPath}/`)
        ? rest.slice(this.publicPath.length)
        : rest;
    if (inside === '') return '';
    return this.served().find((name) => inside === `/${name}`);
  }

  private served(): Resource[] {
    return RESOURCES.filter((name) => name !== 'mcp' || this.config.mcp.enabled);
  }

  private document(baseUrl: string, resource: Resource | ''): Record<string, unknown> {
    const { oidc } = this.config.auth;
    const surfaces = resource === '' ? this.served() : [resource];
    const scopes = surfaces.flatMap((name) => requestNames(oidc, name));
    return {
      resource: resource === '' ? baseUrl : `${baseUrl}/${resource}`,
      authorization_servers: oidc.map(({ issuer }) => issuer),
      bearer_methods_supported: ['header'],
      // The least that works: a client asks for what it finds here.
      ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
      resource_name: PRODUCT.name,
    };
  }
}
