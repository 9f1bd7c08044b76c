import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Global, Logger, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { contentOf, turnOf } from '../../test/support/fake-sources.js';
import { GATEWAY_CONFIG, type GatewayConfig, type TenantConfig } from '../config/config.types.js';
import { DEFAULT_LIMITS } from '../config/limits.js';
import { AssistantModule } from './assistant.module.js';
import { type AssistantBackend, BackendRegistry, type Frame } from './assistant-backend.js';
import { TenantBackends } from './backend-registry.js';

const EXAMPLE = resolve('examples/module-backend/fixed-script.mjs');
const NEVER = new AbortController().signal;

function tenantOf(id: string, more: Partial<TenantConfig> = {}): TenantConfig {
  return {
    id,
    assistant: { backend: 'builtin' },
    sources: [{ type: 'demo', name: 'demo' }],
    remotes: [],
    mcpServers: [],
    limits: DEFAULT_LIMITS,
    takeover: 'rerun',
    ...more,
  } as TenantConfig;
}

function moduleTenant(
  id: string,
  module: string,
  options: Record<string, unknown> = {},
): TenantConfig {
  return tenantOf(id, { assistant: { backend: 'module', module, readOnly: true, options } });
}

async function framesOf(backend: AssistantBackend, text = 'hi'): Promise<readonly Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of backend.run(turnOf(text), NEVER)) frames.push(frame);
  return frames;
}

describe('TenantBackends', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'nightjar-module-'));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await rm(dir, { recursive: true });
  });

  it('should have the built-in assistant and direct calls keep the secrets of its config', async () => {
    const runbooks = {
      ...{ hosts: ['wiki.example.com'], headers: { 'x-api-key': 'wiki-s3cr3t' } },
      ...{ allowHttp: false, allowPrivate: [], timeoutMs: 1000 },
    };
    const backends = new TenantBackends({ tenants: [tenantOf('demo', { runbooks })] });
    const question = 'alerts with service="wiki-s3cr3t"';
    const answer = contentOf(await framesOf(backends.backendOf('demo'), question));
    expect(answer).toContain('[redacted]');
    expect(answer).not.toContain('s3cr3t');
    expect(backends.sourcesOf('demo').redactor.hide('wiki-s3cr3t')).toBe('[redacted]');
    await backends.onModuleDestroy();
  });

  it('should give each tenant its backend', async () => {
    const backends = new TenantBackends({
      tenants: [tenantOf('demo'), moduleTenant('acme', EXAMPLE, { steps: ['one'], stepMs: 1 })],
    });
    expect(() => backends.backendOf('acme')).toThrow(/acme.*not loaded/);
    expect(await backends.check()).toEqual([]);
    const frames = await framesOf(backends.backendOf('acme'));
    expect(contentOf(frames)).toContain('1. one: done');
    expect(frames.at(-1)).toEqual({ kind: 'memory', data: { finished: 1 } });
    expect(backends.backendOf('acme').readOnly).toBe(true);
    expect(contentOf(await framesOf(backends.backendOf('demo'), 'what is firing?'))).toContain(
      'Demo data',
    );
    expect(() => backends.backendOf('nosuch')).toThrow(/nosuch/);
    expect(await backends.health('demo', NEVER)).toEqual([
      { name: 'demo', type: 'demo', ok: true, text: 'built-in demo data' },
    ]);
    await backends.onModuleDestroy();
  });

  it('should take an agent, a factory and an async factory', async () => {
    const body = `async *run(turn) { yield { kind: 'content', text: turn.text }; }`;
    const modules = {
      plain: `export default { ${body} };`,
      factory: `export default (options) => ({ async *run() { yield { kind: 'content', text: options.word }; } });`,
      late: `export default async () => ({ ${body} });`,
    };
    for (const [name, text] of Object.entries(modules)) {
      await writeFile(join(dir, `${name}.mjs`), text);
      const backends = new TenantBackends({
        tenants: [moduleTenant('t', join(dir, `${name}.mjs`), { word: 'hi' })],
      });
      expect(await backends.check()).toEqual([]);
      expect(contentOf(await framesOf(backends.backendOf('t')))).toBe('hi');
    }
  });

  it('should report a module that cannot be loaded with its tenant, and serve the others', async () => {
    await writeFile(join(dir, 'empty.mjs'), 'export const nothing = 1;');
    await writeFile(join(dir, 'wrong.mjs'), 'export default () => ({ walk() {} });');
    await writeFile(
      join(dir, 'throws.mjs'),
      'export default () => { throw new Error("no key"); };',
    );
    const backends = new TenantBackends({
      tenants: [
        tenantOf('fine'),
        moduleTenant('missing', join(dir, 'missing.mjs')),
        moduleTenant('empty', join(dir, 'empty.mjs')),
        moduleTenant('wrong', join(dir, 'wrong.mjs')),
        moduleTenant('throws', join(dir, 'throws.mjs')),
        moduleTenant('relative', './somewhere.mjs'),
      ],
    });
    const logged: string[] = [];
    vi.spyOn(Logger.prototype, 'error').mockImplementation((message: unknown) => {
      logged.push(String(message));
    });
    await backends.onModuleInit();
    const failures = await backends.check();
    expect(failures.map(({ tenant }) => tenant).sort()).toEqual([
      'empty',
      'missing',
      'relative',
      'throws',
      'wrong',
    ]);
    expect(failures.find(({ tenant }) => tenant === 'empty')?.reason).toContain(
      'no default export',
    );
    expect(failures.find(({ tenant }) => tenant === 'wrong')?.reason).toContain('run method');
    expect(
      logged.filter((line) => line.includes('tenant throws') && line.includes('no key')),
    ).toHaveLength(1);
    expect(() => backends.backendOf('throws')).toThrow(/throws.*no key/);
    expect(backends.backendOf('fine')).toBeDefined();
  });

  it('should be there for whoever injects BackendRegistry', async () => {
    const config = { tenants: [tenantOf('demo')] } as unknown as GatewayConfig;
    @Global()
    @Module({
      providers: [{ provide: GATEWAY_CONFIG, useValue: config }],
      exports: [GATEWAY_CONFIG],
    })
    class Configuration {}
    const app = await Test.createTestingModule({
      imports: [Configuration, AssistantModule],
    }).compile();
    await app.init();
    expect(app.get<BackendRegistry>(BackendRegistry).backendOf('demo').readOnly).toBe(true);
    await app.close();
  });
});
