import { type CanActivate, type ExecutionContext, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyRequest } from 'fastify';
import { AllowanceService } from '../../src/execution/allowance.service.js';
import { TenantBackends } from '../../src/assistant/backend-registry.js';
import { PUBLIC_ROUTE } from '../../src/auth/public.decorator.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { DEFAULT_LIMITS, type GatewayConfig } from '../../src/config/config.types.js';
import { DomainError } from '../../src/domain/errors.js';
import { A2aModule } from '../../src/protocols/a2a.module.js';
import { createHttpAdapter } from '../../src/protocols/http/http-adapter.js';
import { ProtocolExceptionFilter } from '../../src/protocols/http/protocol-exception.filter.js';
import { McpModule } from '../../src/protocols/mcp/mcp.module.js';
import { StreamRegistry } from '../../src/protocols/sse/stream-registry.js';
import { FileService } from '../../src/tasks/file.service.js';
import { HousekeepingService } from '../../src/tasks/housekeeping.service.js';
import { PushConfigService } from '../../src/tasks/push-config.service.js';
import { StreamPlaces } from '../../src/tasks/stream-places.js';
import { TaskService } from '../../src/tasks/task.service.js';
import { ToolService } from '../../src/tasks/tool.service.js';
import { TenantModule } from '../../src/tenant/tenant.module.js';
import type { CoreApi } from './mcp-fake-tasks.js';

export const TOKENS: Readonly<Record<string, { tenant: string; user: string }>> = {
  'alice-token': { tenant: 'acme', user: 'alice' },
  'bob-token': { tenant: 'acme', user: 'bob' },
};

export function gatewayConfig(overrides: Partial<GatewayConfig> = {}): GatewayConfig {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    management: { host: '127.0.0.1', port: 0, probesOnMain: true },
    trustedProxies: [],
    redis: { url: 'redis://127.0.0.1:1', prefix: 'nj:', allowEviction: false },
    auth: { headerName: 'X-User-Token', failuresPerMinute: 30, oidc: [] },
    admin: { enabled: false, allowedHosts: [], secretEnv: [] },
    audit: { retentionDays: 30, maxEntries: 1000, stdout: false },
    usage: { retentionDays: 92 },
    a2a: { enabled: true },
    files: { inlineMaxBytes: 256 * 1024 },
    mcp: { enabled: true, maxWaitSeconds: 240, toolsets: [] },
    execution: {
      leaseMs: 8000,
      heartbeatMs: 2000,
      sweepMs: 1000,
      maxRunsPerInstance: 500,
      drainSeconds: 25,
      maxBlockingSeconds: 600,
      streamHeartbeatMs: 30_000,
      sseCommentMs: 15_000,
      sseStallMs: 30_000,
    },
    metrics: { tenantLabels: 50 },
    profile: 'default',
    log: { level: 'silent' },
    tenants: [
      {
        id: 'acme',
        assistant: { backend: 'builtin' },
        sources: [],
        remotes: [],
        mcpServers: [],
        limits: DEFAULT_LIMITS,
        takeover: 'rerun',
        contextConcurrency: 'reject',
        toolsets: ['assistant'],
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
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC_ROUTE, targets) === true) {
      return true;
    }
    const request = context.switchToHttp().getRequest<FastifyRequest & { user?: unknown }>();
    const bearer = request.headers.authorization?.replace(/^Bearer /, '');
    const owner = TOKENS[String(request.headers['x-user-token'] ?? bearer)];
    if (owner === undefined) throw new DomainError('UNAUTHENTICATED', 'No valid token');
    request.user = { ...owner, scopes: ['a2a', 'mcp'], sha256: '0'.repeat(64) };
    return true;
  }
}

export interface McpApp {
  readonly url: string;
  /** Breaks every connection; the listener stays. */
  cut(): void;
  /** Open streams of all protocols. */
  readonly streams: StreamRegistry;
  close(): Promise<void>;
}

/** Nothing is used up. */
const FREE = {
  of: () => ({ demand: () => Promise.resolve() }),
} as unknown as AllowanceService;

/** A gateway with the A2A and MCP surfaces on a random loopback port, over the given core. */
export async function startMcpApp(
  tasks: CoreApi,
  overrides: Partial<GatewayConfig> = {},
): Promise<McpApp> {
  const config = gatewayConfig(overrides);

  @Global()
  @Module({
    providers: [
      { provide: TaskService, useValue: tasks },
      { provide: FileService, useValue: {} },
      { provide: HousekeepingService, useValue: {} },
      { provide: PushConfigService, useValue: {} },
      { provide: ToolService, useFactory: () => new ToolService(new TenantBackends(config), FREE) },
      { provide: StreamPlaces, useValue: { take: () => Promise.resolve(() => undefined) } },
    ],
    exports: [
      ...[TaskService, FileService, HousekeepingService, PushConfigService],
      ...[ToolService, StreamPlaces],
    ],
  })
  class CoreModule {}

  const fixture = await Test.createTestingModule({
    imports: [
      ConfigModule.of(config),
      TenantModule,
      CoreModule,
      ...(config.a2a.enabled && config.mcp.enabled ? [McpModule] : []),
      A2aModule.of(config),
    ],
    providers: [
      { provide: APP_GUARD, useClass: TokenGuard },
      { provide: APP_FILTER, useClass: ProtocolExceptionFilter },
    ],
  }).compile();
  const adapter = createHttpAdapter(config);
  const app = fixture.createNestApplication<NestFastifyApplication>(adapter, {
    bodyParser: false,
    logger: false,
  });
  await app.listen(0, '127.0.0.1');
  const cut = (): void => {
    app.getHttpServer().closeAllConnections();
  };
  return {
    url: await app.getUrl(),
    cut,
    streams: app.get(StreamRegistry, { strict: false }),
    close: () => {
      cut();
      return app.close();
    },
  };
}
