import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { GatewayConfig, TenantConfig } from '../config/config.types.js';
import type { AssistantBackend, BackendRegistry } from './assistant-backend.js';
import { BuiltinBackend } from './builtin/builtin-backend.js';
import { LlmBackend } from './llm/llm-backend.js';
import { secretsOf } from './llm/tenant-secrets.js';
import { loadModule } from './module/load-module.js';
import { ModuleBackend } from './module/module-backend.js';
import { ApprovalGate } from './writes/approval-gate.js';
import { openSources, type SourceHealth, type TenantSources } from './sources/tenant-sources.js';

export interface LoadFailure {
  readonly tenant: string;
  /** What is wrong, for the operator. */
  readonly reason: string;
}

/** The backend of every tenant that the config names. */
export class TenantBackends implements BackendRegistry, OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger(TenantBackends.name);
  private readonly backends = new Map<string, AssistantBackend>();
  private readonly sources = new Map<string, TenantSources>();
  private readonly failures = new Map<string, string>();
  private readonly models: LlmBackend[] = [];

  constructor(private readonly config: Pick<GatewayConfig, 'tenants'>) {
    for (const tenant of config.tenants) {
      const sources = openSources(tenant.sources);
      this.sources.set(tenant.id, sources);
      const backend = openBackend(tenant, sources);
      if (backend !== undefined) {
        const { writes } = tenant;
        const gated =
          writes === undefined ? backend : new ApprovalGate(backend, { sources, writes });
        this.backends.set(tenant.id, gated);
      }
      if (backend instanceof LlmBackend) this.models.push(backend);
    }
  }

  backendOf(tenant: string): AssistantBackend {
    const backend = this.backends.get(tenant);
    if (backend !== undefined) return backend;
    const reason = this.failures.get(tenant) ?? 'no such tenant, or its module is not loaded yet';
    throw new Error(`no assistant for tenant ${tenant}: ${reason}`);
  }

  /**
   * Loads the module of every tenant that has one. A tenant whose module fails is left without a
   * backend; the others work. May be called again: it then tries only what is still missing.
   */
  async check(): Promise<readonly LoadFailure[]> {
    await Promise.all(this.config.tenants.map((tenant) => this.load(tenant)));
    return [...this.failures].map(([tenant, reason]) => ({ tenant, reason }));
  }

  /** What a tenant's tools read, for calls without its assistant; without sources for an unknown one. */
  sourcesOf(tenant: string): TenantSources {
    return this.sources.get(tenant) ?? openSources([]);
  }

  /** Asks each source of a tenant for a sign of life; the texts may be shown to its users. */
  async health(tenant: string, signal: AbortSignal): Promise<readonly SourceHealth[]> {
    return (await this.sources.get(tenant)?.health(signal)) ?? [];
  }

  async onModuleInit(): Promise<void> {
    for (const { tenant, reason } of await this.check()) {
      this.log.error(`the assistant of tenant ${tenant} could not be loaded: ${reason}`);
    }
  }

  async onModuleDestroy(): Promise<void> {
    const all = [...this.sources.values(), ...this.models];
    await Promise.all(all.map((connected) => connected.close()));
  }

  private async load({ id, assistant }: TenantConfig): Promise<void> {
    if (assistant.backend !== 'module' || this.backends.has(id)) return;
    try {
      const agent = await loadModule(assistant.module, assistant.options);
      this.backends.set(id, new ModuleBackend(agent, assistant.module, assistant.readOnly));
      this.failures.delete(id);
    } catch (error) {
      this.failures.set(id, error instanceof Error ? error.message : String(error));
    }
  }
}

/** Undefined for a module, which has to be loaded first. */
function openBackend(tenant: TenantConfig, sources: TenantSources): AssistantBackend | undefined {
  switch (tenant.assistant.backend) {
    case 'builtin':
      return new BuiltinBackend(sources, Date.now, tenant.writes);
    case 'llm':
      return new LlmBackend({
        config: tenant.assistant,
        sources,
        secrets: secretsOf(tenant),
        ...(tenant.writes === undefined ? {} : { writes: tenant.writes }),
        ...(tenant.assistant.fallback === undefined
          ? {}
          : { fallback: new BuiltinBackend(sources, Date.now, tenant.writes) }),
      });
    case 'module':
      return undefined;
  }
}
