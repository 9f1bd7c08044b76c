import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  Global,
  HttpException,
  Module,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, Reflector } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PUBLIC_ROUTE } from '../../src/auth/public.decorator.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { DEFAULT_LIMITS, type GatewayConfig } from '../../src/config/config.types.js';
import { DomainError, type ErrorCode } from '../../src/domain/errors.js';
import { McpModule } from '../../src/protocols/mcp/mcp.module.js';
import { TaskService } from '../../src/tasks/task.service.js';
import { TenantModule } from '../../src/tenant/tenant.module.js';

export const TOKENS: Readonly<Record<string, { tenant: string; user: string }>> = {
  'alice-token': { tenant: 'acme', user: 'alice' },
  'bob-token': { tenant: 'acme', user: 'bob' },
};

const STATUS: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  PATH_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TOO_LARGE: 413,
  UNAVAILABLE: 503,
};

export function gatewayConfig(overrides: Partial<GatewayConfig> = {}): GatewayConfig {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    management: { host: '127.0.0.1', port: 0, probesOnMain: true },
    trustedProxies: [],
    redis: { url: 'redis://127.0.0.1:1', prefix: 'nj:', allowEviction: false },
    auth: { headerName: 'X-User-Token' },
    a2a: { enabled: true },
    mcp: { enabled: true, maxWaitSeconds: 240 },
    execution: {
      leaseMs: 8000,
      heartbeatMs: 2000,
      sweepMs: 1000,
      maxRunsPerInstance: 500,
      drainSeconds: 25,
      maxBlockingSeconds: 600,
      streamHeartbeatMs: 30_000,
      sseCommentMs: 15_000,
    },
    log: { level: 'silent' },
    tenants: [
      {
        id: 'acme',
        assistant: { backend: 'builtin' },
        sources: [],
        limits: DEFAULT_LIMITS,
        takeover: 'rerun',
      },
    ],
    tokens: [],
    demo: false,
    ...overrides,
  };
}

class TokenGuard implements CanActivate {
  private readonly reflector = new Reflector();

  canActivate(context: ExecutionContext): boolean {
    const open = this.reflector.get<boolean | undefined>(PUBLIC_ROUTE, context.getHandler());
    if (open === true) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: unknown }>();
    const owner = TOKENS[String(request.headers['x-user-token'])];
    if (owner === undefined) throw new DomainError('UNAUTHENTICATED', 'No valid token');
    request.user = { ...owner, scopes: ['mcp'] };
    return true;
  }
}

/** A plain rendering of the error table: the statuses are what these tests look at. */
@Catch()
class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const status =
      error instanceof DomainError
        ? (STATUS[error.code] ?? 500)
        : error instanceof HttpException
          ? error.getStatus()
          : 500;
    const message = error instanceof Error ? error.message : 'Internal error';
    void reply.status(status).send({ jsonrpc: '2.0', id: null, error: { code: -32600, message } });
  }
}

export interface McpApp {
  readonly url: string;
  close(): Promise<void>;
}

/** A gateway with the MCP surface alone, on a random loopback port, over the given core. */
export async function startMcpApp(
  tasks: TaskService,
  config: Partial<GatewayConfig> = {},
): Promise<McpApp> {
  @Global()
  @Module({
    providers: [{ provide: TaskService, useValue: tasks }],
    exports: [TaskService],
  })
  class CoreModule {}

  const fixture = await Test.createTestingModule({
    imports: [ConfigModule.of(gatewayConfig(config)), TenantModule, CoreModule, McpModule],
    providers: [
      { provide: APP_GUARD, useClass: TokenGuard },
      { provide: APP_FILTER, useClass: ErrorFilter },
    ],
  }).compile();
  const adapter = new FastifyAdapter({ forceCloseConnections: true });
  const app = fixture.createNestApplication<NestFastifyApplication>(adapter, {
    bodyParser: false,
    logger: false,
  });
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    (_request, body, done) => {
      done(null, body);
    },
  );
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), close: () => app.close() };
}
