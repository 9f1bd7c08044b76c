import { Controller, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireScope } from '../../auth/require-scope.decorator.js';
import type { CallContext } from '../../domain/call-context.js';
import { Ctx } from '../../tenant/ctx.decorator.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import { answerExtensions, checkBodySize } from '../a2a-v1/call.js';
import { RpcDispatcher } from '../a2a-v1/rpc-dispatcher.js';
import { requestedVersion, requireVersion, versionNotSupported } from '../wire/a2a-version.js';
import { parseRpcRequest } from '../wire/json-rpc.js';
import { LegacyDispatcher } from './legacy-dispatcher.js';

/** The JSON-RPC endpoints that speak 0.3: `/a2a`, by default, and `/a2a/v03`, always. */
@Controller('a2a')
@RequireScope('a2a')
export class A2aEndpointController {
  constructor(
    private readonly legacy: LegacyDispatcher,
    private readonly current: RpcDispatcher,
    private readonly tenants: TenantDirectory,
  ) {}

  /** No header means 0.3 (spec 3.6.2), as nearly every deployed client sends none. */
  @Post()
  async either(
    @Ctx() ctx: CallContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    checkBodySize(ctx, this.tenants, request.body);
    const rpc = parseRpcRequest(request.body);
    const version = requestedVersion(request.headers, request.query) ?? '0.3';
    if (version === '0.3') {
      await this.legacy.dispatch(ctx, rpc, reply);
    } else if (version === '1.0') {
      answerExtensions(reply, 'a2a-extensions');
      await this.current.dispatch(ctx, rpc, reply);
    } else {
      throw versionNotSupported(version, ['0.3', '1.0'], '/a2a');
    }
  }

  @Post('v03')
  async only03(
    @Ctx() ctx: CallContext,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    checkBodySize(ctx, this.tenants, request.body);
    const rpc = parseRpcRequest(request.body);
    requireVersion(requestedVersion(request.headers, request.query), '0.3', '/a2a/v03');
    await this.legacy.dispatch(ctx, rpc, reply);
  }
}
