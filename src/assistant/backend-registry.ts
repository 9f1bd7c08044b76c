import { isDeepStrictEqual } from 'node:util';
import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { GatewayConfig, TenantConfig } from '../config/config.types.js';
import { reasonOf } from '../config/reason-of.js';
import type { AssistantBackend, BackendRegistry } from './assistant-backend.js';
import { BuiltinBackend } from './builtin/builtin-backend.js';
import { LlmBackend } from './llm/llm-backend.js';
import { secretsOf } from './llm/tenant-secrets.js';
import { loadModule } from './module/load-module.js';
import { ModuleBackend } from './module/module-backend.js';
import { RemoteBackend } from './remote/remote-backend.js';
import { type RemoteHealth, TenantRemotes } from './remote/tenant-remotes.js';
import { Redactor } from './llm/redactor.js';
import { ApprovalGate } from './writes/approval-gate.js';
import { shownBackend } from './shown-backend.js';
import { openSources, type SourceHealth, type TenantSources } from './sources/tenant-sources.js';

/** After the longest run that may have begun with it. */
const RETIRED_GRACE_MS = 60_000;

export interface LoadFailure {
  readonly tenant: string;
  /** What is wrong, for the operator. */
  readonly reason: string;
}

/** The backend of every tenant that the config names. */
export class TenantBackends implements BackendRegistry, OnModuleInit, OnModuleDestroy {
  private readonly log = new Logger(TenantBackends.name);
  private readonly opened = new Map<string, Opened>();
  private readonly failures = new Map<string, string>();
  /** No new run takes them, but one that began with them may still be at work. */
  private readonly retired = new Set<Opened>();

  constructor(config: Pick<GatewayConfig, 'tenants'>) {
    for (const tenant of config.tenants) this.opened.set(tenant.id, openTenant(tenant));
  }

  backendOf(tenant: string): AssistantBackend {
    const backend = this.opened.get(tenant)?.backend;
    if (backend !== undefined) return backend;
    const reason = this.failures.get(tenant) ?? 'no such tenant, or its module is not loaded yet';
    throw new Error(`no assistant for tenant ${tenant}: ${reason}`);
  }

  /**
   * Loads the module of every tenant that has one. A tenant whose module fails is left without a
   * backend; the others work. May be called again: it then tries only what is still missing.
   */
  async check(): Promise<readonly LoadFailure[]> {
    await Promise.all([...this.opened.values()].map((opened) => this.load(opened)));
    return [...this.failures].map(([tenant, reason]) => ({ tenant, reason }));
  }

  /** What a tenant's tools read, for calls without its assistant; without sources for an unknown one. */
  sourcesOf(tenant: string): TenantSources {
    return this.opened.get(tenant)?.sources ?? openSources([]);
  }

  /** The tenant's other agents and MCP servers; undefined for an unknown tenant. */
  remotesOf(tenant: string): TenantRemotes | undefined {
    return this.opened.get(tenant)?.remotes;
  }

  async cancelRemote(tenant: string, remote: string, taskId: string): Promise<void> {
    const agent = this.opened.get(tenant)?.remotes.agent(remote);
    if (agent === undefined) throw new Error(`no remote ${remote} of tenant ${tenant}`);
    await agent.cancel(taskId);
  }

  /** Asks each remote of a tenant what it offers; the texts may be shown to its users. */
  async remoteHealth(tenant: string): Promise<readonly RemoteHealth[]> {
    return (await this.opened.get(tenant)?.remotes.health()) ?? [];
  }

  /** Asks each source of a tenant for a sign of life; the texts may be shown to its users. */
  async health(tenant: string, signal: AbortSignal): Promise<readonly SourceHealth[]> {
    return (await this.opened.get(tenant)?.sources.health(signal)) ?? [];
  }

  async onModuleInit(): Promise<void> {
    for (const { tenant, reason } of await this.check()) {
      this.log.error(`the assistant of tenant ${tenant} could not be loaded: ${reason}`);
    }
  }

  async replace(tenants: readonly TenantConfig[]): Promise<void> {
    const kept = new Set(tenants.map(({ id }) => id));
    for (const id of this.opened.keys()) if (!kept.has(id)) this.retire(id);
    await Promise.all(
      tenants.map(async (tenant) => {
        const before = this.opened.get(tenant.id);
        if (before !== undefined && isSame(before.tenant, tenant)) return;
        const opened = openTenant(tenant);
        // A module takes a moment; until it is there the former assistant answers.
        if (opened.backend === undefined && before !== undefined) await this.load(opened);
        this.retire(tenant.id);
        this.opened.set(tenant.id, opened);
        if (opened.backend === undefined) await this.load(opened);
      }),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all([...this.opened.values(), ...this.retired].map(close));
  }

  private retire(id: string): void {
    const old = this.opened.get(id);
    if (old === undefined) return;
    this.opened.delete(id);
    this.failures.delete(id);
    this.retired.add(old);
    const lastRunMs = old.tenant.limits.runSeconds * 1000 + RETIRED_GRACE_MS;
    setTimeout(() => {
      this.retired.delete(old);
      close(old).catch((error: unknown) => {
        this.log.warn({ msg: 'the sources of a changed tenant could not be closed', err: error });
      });
    }, lastRunMs).unref();
  }

  private async load(opened: Opened): Promise<void> {
    const { id, assistant } = opened.tenant;
    if (assistant.backend !== 'module' || opened.backend !== undefined) return;
    try {
      const agent = await loadModule(assistant.module, assistant.options);
      // Its words are its own, as they come: the filter of the others holds a stream a word back.
      opened.backend = new ModuleBackend(agent, assistant.module, assistant.readOnly);
      this.failures.delete(id);
    } catch (error) {
      this.failures.set(id, reasonOf(error));
    }
  }
}

/** A tenant's assistant with what it is connected to. */
interface Opened {
  readonly tenant: TenantConfig;
  readonly sources: TenantSources;
  readonly remotes: TenantRemotes;
  /** Behind the gate of its writes, if it has one. */
  readonly inner: AssistantBackend | undefined;
  /** Undefined until a module is loaded. */
  backend: AssistantBackend | undefined;
}

function openTenant(tenant: TenantConfig): Opened {
  const redactor = new Redactor(secretsOf(tenant));
  const sources = openSources(tenant.sources, { ...tenant, redactor });
  const remotes = new TenantRemotes(tenant, redactor);
  remotes.start();
  const inner = openBackend(tenant, sources, remotes);
  const { writes } = tenant;
  return {
    tenant,
    sources,
    remotes,
    inner,
    // Also where nothing may be proposed any more: an answer to what was proposed before comes here.
    backend: inner && shownBackend(new ApprovalGate(inner, { sources, writes, remotes }), redactor),
  };
}

async function close({ sources, remotes, inner }: Opened): Promise<void> {
  await Promise.all([
    sources.close(),
    remotes.close(),
    inner instanceof LlmBackend ? inner.close() : undefined,
  ]);
}

/** What an assistant is made of; limits are looked up at each run. */
function isSame(before: TenantConfig, after: TenantConfig): boolean {
  return (
    isDeepStrictEqual(before.assistant, after.assistant) &&
    isDeepStrictEqual(before.sources, after.sources) &&
    isDeepStrictEqual(before.tools, after.tools) &&
    isDeepStrictEqual(before.runbooks, after.runbooks) &&
    isDeepStrictEqual(before.remotes, after.remotes) &&
    isDeepStrictEqual(before.mcpServers, after.mcpServers) &&
    isDeepStrictEqual(before.writes, after.writes)
  );
}

/** Undefined for a module, which has to be loaded first. */
function openBackend(
  tenant: TenantConfig,
  sources: TenantSources,
  remotes: TenantRemotes,
): AssistantBackend | undefined {
  const { assistant, writes } = tenant;
  const builtin = (): BuiltinBackend => new BuiltinBackend(sources, Date.now, writes, remotes);
  switch (assistant.backend) {
    case 'builtin':
      return builtin();
    case 'remote':
      return new RemoteBackend({ remotes, agent: assistant.agent });
    case 'llm':
      return new LlmBackend({
        config: assistant,
        sources,
        remotes,
        secrets: secretsOf(tenant),
        ...(writes === undefined ? {} : { writes }),
        ...(assistant.fallback === undefined ? {} : { fallback: builtin() }),
      });
    case 'module':
      return undefined;
  }
}
