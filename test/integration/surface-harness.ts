import { type CanActivate, type ExecutionContext, Global, Module, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, Reflector } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyRequest } from 'fastify';
import { PUBLIC_ROUTE } from '../../src/auth/public.decorator.js';
import { ConfigModule } from '../../src/config/config.module.js';
import type { GatewayConfig } from '../../src/config/config.types.js';
import { DomainError } from '../../src/domain/errors.js';
import { A2aModule } from '../../src/protocols/a2a.module.js';
import { createHttpAdapter } from '../../src/protocols/http/http-adapter.js';
import { ProtocolExceptionFilter } from '../../src/protocols/http/protocol-exception.filter.js';
import { FileService } from '../../src/tasks/file.service.js';
import { HousekeepingService } from '../../src/tasks/housekeeping.service.js';
import { PushConfigService } from '../../src/tasks/push-config.service.js';
import { StreamPlaces } from '../../src/tasks/stream-places.js';
import { TaskService } from '../../src/tasks/task.service.js';
import { ToolService } from '../../src/tasks/tool.service.js';
import { TenantModule } from '../../src/tenant/tenant.module.js';

/** Who a request is from, by its token. */
const TOKENS: Readonly<Record<string, { tenant: string; user: string }>> = {
  'alice-token': { tenant: 'acme', user: 'alice' },
  'bob-token': { tenant: 'acme', user: 'bob' },
  'eve-token': { tenant: 'evil', user: 'eve' },
};

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

/** What stands behind the surfaces. */
export interface CoreDoubles {
  readonly tasks: object;
  readonly push?: object;
  readonly tools?: object;
}

/** The A2A surface, and what `more` adds, on a random loopback port, over the given core. */
export async function startSurfaces(
  config: GatewayConfig,
  core: CoreDoubles,
  more: readonly Type[] = [],
): Promise<NestFastifyApplication> {
  const providers = [
    { provide: TaskService, useValue: core.tasks },
    { provide: FileService, useValue: {} },
    { provide: HousekeepingService, useValue: {} },
    { provide: PushConfigService, useValue: core.push ?? {} },
    { provide: ToolService, useValue: core.tools ?? {} },
    { provide: StreamPlaces, useValue: { take: () => Promise.resolve(() => undefined) } },
  ];

  @Global()
  @Module({ providers, exports: providers.map(({ provide }) => provide) })
  class CoreModule {}

  const fixture = await Test.createTestingModule({
    imports: [ConfigModule.of(config), TenantModule, CoreModule, ...more, A2aModule.of(config)],
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
  return app;
}

/** Breaks every connection; the listener stays. */
export function cutConnections(app: NestFastifyApplication): void {
  app.getHttpServer().closeAllConnections();
}
