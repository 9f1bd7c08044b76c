import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireScope } from '../../auth/require-scope.decorator.js';
import type { CallContext } from '../../domain/call-context.js';
import { Ctx } from '../../tenant/ctx.decorator.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import { requestedVersion, requireVersion } from '../wire/a2a-version.js';
import { parseRpcRequest } from '../wire/json-rpc.js';
import { answerExtensions, checkBodySize } from './call.js';
import { RpcDispatcher } from './rpc-dispatcher.js';

/** `POST /a2a/v1`: A2A 1.0 over JSON-RPC, with or without a version header. */
@Controller('a2a/v1')
@RequireScope('a2a')
export class RpcController {
  constructor(
    private readonly dispatcher: RpcDispatcher,
    private readonly tenants: TenantDirectory,
  ) {}

  @Post()
  async call(
    @Ctx() ctx: CallContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    checkBodySize(ctx, this.tenants, request.body);
    const rpc = parseRpcRequest(request.body);
    requireVersion(requestedVersion(request.headers, request.query), '1.0', '/a2a/v1');
    answerExtensions(reply, 'a2a-extensions');
    await this.dispatcher.dispatch(ctx, rpc, reply);
  }
}
