import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Public } from '../../auth/public.decorator.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import { baseUrlOf } from '../http/base-url.js';
import { PRODUCT } from '../http/product.js';
import { AddressList } from '../../domain/address-list.js';

/** `GET /a2a`: what a browser or a curl without a method finds there. */
@Public()
@Controller('a2a')
export class HintController {
  private readonly proxies: AddressList;

  constructor(@Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig) {
    this.proxies = new AddressList(config.trustedProxies);
  }

  @Get()
  hint(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const base = baseUrlOf(request, this.config, this.proxies);
    const hint = {
      name: PRODUCT.name,
      message: 'This is an A2A endpoint: POST JSON-RPC here, or use the REST paths below it.',
      agentCard: `${base}/.well-known/agent-card.json`,
      jsonRpc: {
        '1.0': `POST ${base}/a2a with the header A2A-Version: 1.0, or POST ${base}/a2a/v1`,
        '0.3': `POST ${base}/a2a without that header, or POST ${base}/a2a/v03`,
      },
      rest: [
        `POST ${base}/a2a/message:send`,
        `POST ${base}/a2a/message:stream`,
        `GET ${base}/a2a/tasks`,
        `GET ${base}/a2a/tasks/{id}`,
        `POST ${base}/a2a/tasks/{id}:cancel`,
        `POST ${base}/a2a/tasks/{id}:subscribe`,
        `DELETE ${base}/a2a/tasks/{id}`,
        `GET ${base}/a2a/contexts`,
        `GET ${base}/a2a/contexts/{id}`,
        `DELETE ${base}/a2a/contexts/{id}`,
      ],
      authentication: `${this.config.auth.headerName}: <token>, or Authorization: Bearer <token>`,
    };
    reply.code(200).header('content-type', 'application/json').send(JSON.stringify(hint));
  }
}
