import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireScope } from '../../auth/require-scope.decorator.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import { noteRequest } from '../../metrics/request-notes.js';
import { HousekeepingService } from '../../tasks/housekeeping.service.js';
import { Ctx } from '../../tenant/ctx.decorator.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import { requestedVersion, requireVersion } from '../wire/a2a-version.js';
import { Params } from '../wire/params.js';
import { readPage } from './list-request.js';
import { queryDocument } from './query-document.js';
import { splitTaskRef } from './task-ref.js';
import { checkTenantHint } from './tenant-hint.js';

type Request = FastifyRequest<{ Params: Record<string, string | undefined> }>;

/**
 * What A2A has no operation for, in the shape of its REST binding: deleting own tasks that have
 * ended; listing, reading and closing own contexts (design section 6).
 */
@Controller(['a2a', 'a2a/:tenant'])
@RequireScope('a2a')
export class RecordsController {
  constructor(
    private readonly records: HousekeepingService,
    private readonly tenants: TenantDirectory,
  ) {}

  @Delete('tasks/:id')
  @HttpCode(204)
  async deleteTask(@Ctx() ctx: CallContext, @Req() request: Request): Promise<void> {
    const id = this.begin(ctx, request, 'DeleteTask');
    await this.records.removeTask(ctx, id);
    noteRequest(request.raw, { taskId: id });
  }

  @Get('contexts')
  async listContexts(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.begin(ctx, request, 'ListContexts');
    const params = Params.of(queryDocument(request.query));
    const page = readPage(params, this.tenants.limitsOf(ctx.tenant));
    params.check();
    answer(reply, await this.records.listContexts(ctx, page));
  }

  @Get('contexts/:id')
  async getContext(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const id = this.begin(ctx, request, 'GetContext');
    answer(reply, await this.records.getContext(ctx, id));
  }

  @Delete('contexts/:id')
  @HttpCode(204)
  async deleteContext(@Ctx() ctx: CallContext, @Req() request: Request): Promise<void> {
    await this.records.closeContext(ctx, this.begin(ctx, request, 'CloseContext'));
  }

  /** The same as DELETE, under the name that nl2sh has for it. */
  @Post('contexts/:ref')
  async closeContext(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { id, verb } = splitTaskRef(request.params['ref'] ?? '', ['close']);
    if (verb === undefined) {
      reply.header('allow', 'DELETE, GET');
      throw new DomainError('METHOD_NOT_ALLOWED', 'Use GET, DELETE or POST {id}:close here');
    }
    this.begin(ctx, request, 'CloseContext');
    await this.records.closeContext(ctx, id);
    answer(reply, {});
  }

  /** What every operation checks before its own params; returns the id in the path. */
  private begin(ctx: CallContext, request: Request, operation: string): string {
    noteRequest(request.raw, { surface: 'a2a-rest', method: operation });
    checkTenantHint(ctx, request.params['tenant']);
    requireVersion(requestedVersion(request.headers, request.query), '1.0', 'the REST paths');
    return request.params['id'] ?? '';
  }
}

function answer(reply: FastifyReply, document: unknown): void {
  reply.code(200).header('content-type', 'application/json').send(JSON.stringify(document));
}
