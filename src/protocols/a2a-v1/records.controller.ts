import { Controller, Delete, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireScope } from '../../auth/require-scope.decorator.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import { noteRequest } from '../../metrics/request-notes.js';
import { FileService } from '../../tasks/file.service.js';
import { HousekeepingService } from '../../tasks/housekeeping.service.js';
import { Ctx } from '../../tenant/ctx.decorator.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import { type A2aVersion, requestedVersion, versionNotSupported } from '../wire/a2a-version.js';
import { Params } from '../wire/params.js';
import { readPage } from './list-request.js';
import { queryDocument } from './query-document.js';
import { splitTaskRef } from './task-ref.js';
import { checkTenantHint } from './tenant-hint.js';

const BINARY = 'application/octet-stream';
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,128}(?:; ?charset=[\w-]{1,32})?$/i;

type Request = FastifyRequest<{ Params: Record<string, string | undefined> }>;

/**
 * What A2A has no operation for, in the shape of its REST binding: deleting own tasks that have
 * ended; their files; listing, reading and closing own contexts (design section 6).
 */
@Controller(['a2a', 'a2a/:tenant'])
@RequireScope('a2a')
export class RecordsController {
  constructor(
    private readonly records: HousekeepingService,
    private readonly files: FileService,
    private readonly tenants: TenantDirectory,
  ) {}

  @Delete('tasks/:id')
  @HttpCode(204)
  async deleteTask(@Ctx() ctx: CallContext, @Req() request: Request): Promise<void> {
    const id = this.begin(ctx, request, 'DeleteTask');
    await this.records.removeTask(ctx, id);
    noteRequest(request.raw, { taskId: id });
  }

  /**
   * Bytes that a task's answer links to, in either version: never shown by a browser in this origin.
   */
  @Get('tasks/:id/artifacts/:name')
  async getFile(
    @Ctx() ctx: CallContext,
    @Req() request: Request,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const id = this.begin(ctx, request, 'GetArtifactFile', ['0.3', '1.0']);
    const file = await this.files.read(ctx, id, request.params['name'] ?? '');
    noteRequest(request.raw, { taskId: id });
    reply
      .code(200)
      .header('content-type', MEDIA_TYPE.test(file.mediaType) ? file.mediaType : BINARY)
      .header('content-disposition', attachment(file.name))
      .send(file.content);
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
  private begin(
    ctx: CallContext,
    request: Request,
    operation: string,
    versions: readonly A2aVersion[] = ['1.0'],
  ): string {
    noteRequest(request.raw, { surface: 'a2a-rest', method: operation });
    checkTenantHint(ctx, request.params['tenant']);
    const requested = requestedVersion(request.headers, request.query);
    if (requested !== undefined && !versions.some((version) => version === requested)) {
      throw versionNotSupported(requested, versions, 'the REST paths');
    }
    return request.params['id'] ?? '';
  }
}

/** RFC 6266: the name in ASCII for old clients, and as it is. */
function attachment(name: string): string {
  const shown = name.replace(/^\d+-\d+-/, '');
  const ascii = shown.replace(/[^\w.-]/g, '_');
  const exact = encodeURIComponent(shown).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${exact}`;
}

function answer(reply: FastifyReply, document: unknown): void {
  reply.code(200).header('content-type', 'application/json').send(JSON.stringify(document));
}
