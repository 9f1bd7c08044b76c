import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/public.decorator.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import { AddressList } from '../../domain/address-list.js';
import { ApiDescription, OPENAPI_PATHS } from '../../health/api-description.js';
import { noteRequest } from '../../metrics/request-notes.js';
import { baseUrlOf } from './base-url.js';
import { addVary, FORWARDED } from './site-guard.js';

/** The REST surface, described for generators of clients; for everyone, like the agent card. */
@Public()
@Controller()
export class OpenApiController {
  private readonly description: ApiDescription;
  private readonly proxies: AddressList;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {
    const { headerName } = config.auth;
    this.description = new ApiDescription({ headerName, inside: config.management.port === 0 });
    this.proxies = new AddressList(config.trustedProxies);
  }

  @Get([...OPENAPI_PATHS])
  get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    noteRequest(request.raw, { surface: 'a2a-card', method: 'GetOpenApi' });
    const asked = new URL(request.url, 'http://localhost').pathname;
    const path = OPENAPI_PATHS.find((one) => one === asked) ?? OPENAPI_PATHS[1];
    const baseUrl = baseUrlOf(request, this.config, this.proxies);
    if (this.config.publicUrl === undefined) addVary(reply, FORWARDED);
    reply
      .code(200)
      .header('cache-control', 'public, max-age=300')
      .header('content-type', ApiDescription.contentType(path))
      .send(this.description.text(path, baseUrl));
  }
}
