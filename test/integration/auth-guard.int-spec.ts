import 'reflect-metadata';
import { type ArgumentsHost, Catch, Controller, type ExceptionFilter, Get } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { FastifyReply } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { gatewayConfig } from '../support/gateway-config.js';
import { MemoryTokenStore } from '../support/token-store.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { generateToken, hashToken } from '../../src/config/token-secret.js';
import type { CallContext } from '../../src/domain/call-context.js';
import { DomainError } from '../../src/domain/errors.js';
import { TokenStore } from '../../src/store/token.store.js';
import { Ctx } from '../../src/tenant/ctx.decorator.js';
import { TenantDirectory } from '../../src/tenant/tenant.directory.js';
import { TenantGuard } from '../../src/tenant/tenant.guard.js';
import { Public } from '../../src/auth/public.decorator.js';
import { RequireScope } from '../../src/auth/require-scope.decorator.js';
import { AuditLog } from '../../src/audit/audit.log.js';
import { ChangeWatch } from '../../src/auth/change-watch.js';
import { OpenCalls } from '../../src/auth/open-calls.js';
import { RedisChangeStore } from '../../src/store/redis-change.store.js';
import { TokenGuard } from '../../src/auth/token.guard.js';
import { TokenVerifier } from '../../src/auth/token.verifier.js';

@Catch()
class CodeFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const code = error instanceof DomainError ? error.code : 'INTERNAL';
    const message = error instanceof Error ? error.message : '';
    void reply.status(400).send({ code, message });
  }
}

@Controller()
class Routes {
  @Get('closed')
  closed(@Ctx() ctx: CallContext): CallContext {
    return ctx;
  }

  @Public()
  @Get('open')
  open(): string {
    return 'open';
  }

  @RequireScope('mcp')
  @Get('mcp')
  mcp(): string {
    return 'mcp';
  }
}

const ANN = generateToken();
const apps: NestFastifyApplication[] = [];

interface AppOptions {
  readonly store?: MemoryTokenStore;
  readonly headerName?: string;
  readonly tokens?: readonly { tenant: string; user: string; token: string; scopes?: string[] }[];
}

async function start(options: AppOptions = {}): Promise<NestFastifyApplication> {
  const tokens = options.tokens ?? [{ tenant: 'acme', user: 'ann', token: ANN }];
  const config = gatewayConfig({
    auth: { headerName: options.headerName ?? 'X-User-Token' },
    tenants: [{ id: 'acme' }],
    tokens: tokens.map(({ token, ...rest }) => ({ ...rest, sha256: hashToken(token) })),
  });
  const module = await Test.createTestingModule({
    imports: [ConfigModule.of(config)],
    controllers: [Routes],
    providers: [
      TokenVerifier,
      OpenCalls,
      { provide: AuditLog, useValue: { note: () => undefined } },
      ChangeWatch,
      { provide: RedisChangeStore, useValue: { read: () => Promise.resolve([null, null]) } },
      TenantDirectory,
      { provide: TokenStore, useValue: options.store ?? new MemoryTokenStore() },
      { provide: APP_GUARD, useClass: TokenGuard },
      { provide: APP_GUARD, useClass: TenantGuard },
      { provide: APP_FILTER, useClass: CodeFilter },
    ],
  }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
  await app.init();
  await app.getHttpAdapter().getInstance().ready();
  apps.push(app);
  return app;
}

async function get(
  app: NestFastifyApplication,
  url: string,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await app.inject({ method: 'GET', url, headers });
  return response.body.startsWith('{')
    ? (JSON.parse(response.body) as Record<string, unknown>)
    : { body: response.body };
}

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

describe('TokenGuard', () => {
  it('should let nobody in without a token, and everybody in where it is public', async () => {
    const app = await start();
    expect(await get(app, '/closed')).toMatchObject({
      code: 'UNAUTHENTICATED',
      message: 'A token is required: send it as X-User-Token or as Authorization: Bearer',
    });
    expect(await get(app, '/open')).toEqual({ body: 'open' });
    expect(await get(app, '/open', { 'x-user-token': 'wrong' })).toEqual({ body: 'open' });
  });

  it.each([
    ['the header', { 'x-user-token': ANN }],
    ['Bearer', { authorization: `Bearer ${ANN}` }],
    ['both, when they are the same', { 'x-user-token': ANN, authorization: `Bearer ${ANN}` }],
    ['the header, beside a Basic of a proxy', { 'x-user-token': ANN, authorization: 'Basic eA==' }],
  ])('should take a token in %s', async (_where, headers) => {
    const answer = await get(await start(), '/closed', headers);
    expect(answer).toMatchObject({ tenant: 'acme', user: 'ann', scopes: ['a2a', 'mcp'] });
    expect(answer['requestId']).toMatch(/./);
  });

  it.each([
    ['a wrong header', { 'x-user-token': generateToken() }],
    ['a wrong Bearer', { authorization: `Bearer ${generateToken()}` }],
    [
      'a wrong header beside the right Bearer',
      { 'x-user-token': 'x', authorization: `Bearer ${ANN}` },
    ],
    ['the right header beside a wrong Bearer', { 'x-user-token': ANN, authorization: 'Bearer x' }],
    ['Basic', { authorization: `Basic ${ANN}` }],
    ['a bare Authorization', { authorization: ANN }],
  ])('should refuse %s', async (_what, headers) => {
    expect(await get(await start(), '/closed', headers)).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it('should say 503, not 401, when the token cannot be checked', async () => {
    const store = new MemoryTokenStore();
    store.find = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1'));
    const app = await start({ store });
    const answer = await get(app, '/closed', { 'x-user-token': generateToken() });
    expect(answer).toEqual({
      code: 'UNAVAILABLE',
      message: 'The token cannot be checked right now',
    });
    // What the configuration knows needs no Redis.
    expect(await get(app, '/closed', { 'x-user-token': ANN })).toMatchObject({ user: 'ann' });
  });

  it('should refuse a token without the scope of the route', async () => {
    const narrow = generateToken();
    const app = await start({
      tokens: [{ tenant: 'acme', user: 'ann', token: narrow, scopes: ['a2a'] }],
    });
    expect(await get(app, '/closed', { 'x-user-token': narrow })).toMatchObject({ user: 'ann' });
    expect(await get(app, '/mcp', { 'x-user-token': narrow })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('should refuse a valid token of a tenant that is not served here', async () => {
    const store = new MemoryTokenStore();
    const token = generateToken();
    await store.create({
      sha256: hashToken(token),
      tenant: 'gone',
      user: 'ann',
      label: '',
      scopes: ['a2a'],
      created: 0,
    });
    expect(await get(await start({ store }), '/closed', { 'x-user-token': token })).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('should follow the configured header name', async () => {
    const app = await start({ headerName: 'X-Ops-Key' });
    expect(await get(app, '/closed', { 'x-ops-key': ANN })).toMatchObject({ user: 'ann' });
    expect(await get(app, '/closed', { 'x-user-token': ANN })).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it('should keep two gateways in one process apart', async () => {
    const bob = generateToken();
    const first = await start();
    const second = await start({
      headerName: 'X-Other',
      tokens: [{ tenant: 'acme', user: 'bob', token: bob }],
    });
    expect(await get(first, '/closed', { 'x-user-token': ANN })).toMatchObject({ user: 'ann' });
    expect(await get(first, '/closed', { 'x-user-token': bob })).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect(await get(second, '/closed', { 'x-other': bob })).toMatchObject({ user: 'bob' });
  });
});
