import type { TenantConfig, WritesConfig } from '../../config/config.types.js';
import type { Redactor } from '../llm/redactor.js';
import { RemoteAgent } from './remote-agent.js';
import { RemoteMcpServer } from './remote-mcp-server.js';
import type { RemoteTool } from './remote-tool.js';

/** What is known of one remote, for its tenant's users and for the operator. */
export interface RemoteHealth {
  readonly name: string;
  readonly type: 'agent' | 'mcp';
  readonly ok: boolean;
  readonly text: string;
}

/** For how long a turn waits for remotes that nothing is known of yet. */
const FIRST_WAIT_MS = 3000;

/** The remote agents and MCP servers of one tenant. A dead one stops nothing. */
export class TenantRemotes {
  private readonly agents: readonly RemoteAgent[];
  private readonly servers: readonly RemoteMcpServer[];

  /** @param redactor knows every secret of the tenant: nothing that a remote says holds one. */
  constructor(
    { id, remotes, mcpServers }: Pick<TenantConfig, 'id' | 'remotes' | 'mcpServers'>,
    redactor: Redactor,
  ) {
    this.agents = remotes.map((config) => new RemoteAgent(config, id, redactor));
    this.servers = mcpServers.map((config) => new RemoteMcpServer(config, id, redactor));
  }

  /** Begins to find out what they offer. */
  start(): void {
    for (const one of [...this.agents, ...this.servers]) one.start();
  }

  async close(): Promise<void> {
    await Promise.all([...this.agents, ...this.servers].map((one) => one.close()));
  }

  agent(name: string): RemoteAgent | undefined {
    return this.agents.find((agent) => agent.name === name);
  }

  get agentNames(): readonly string[] {
    return this.agents.map(({ name }) => name);
  }

  /** Every tool that may be called, as far as it is known by now; those that are denied are not in it. */
  tools(): readonly RemoteTool[] {
    return [...this.agents, ...this.servers]
      .flatMap((one) => one.tools())
      .filter(({ readOnly, policy }) => readOnly || policy !== 'deny');
  }

  /** The same, after a moment's patience with remotes that have not answered yet. */
  async toolsSoon(signal: AbortSignal): Promise<readonly RemoteTool[]> {
    const all = [...this.agents, ...this.servers];
    await Promise.all(all.map((one) => one.ready(FIRST_WAIT_MS, signal)));
    return this.tools();
  }

  /** Of a tool that is not among `tools`: `away` while nothing is known of what it belongs to. */
  whyNot(tool: string): 'away' | 'gone' {
    const [remote] = tool.split('__');
    const one = [...this.agents, ...this.servers].find(({ name }) => name === remote);
    return one === undefined || one.isKnown ? 'gone' : 'away';
  }

  /** Names of those of which nothing is known: they have not answered yet. */
  get missing(): readonly string[] {
    return [...this.agents, ...this.servers]
      .filter((one) => one.tools().length === 0)
      .map(({ name }) => name);
  }

  /** Who decides about which of the tools that are not read-only. */
  rulesOf(tools: readonly RemoteTool[]): WritesConfig {
    return Object.fromEntries(
      tools
        .filter(({ readOnly }) => !readOnly)
        .map(({ name, policy }) => [
          name,
          { policy, within: { matchers: [] }, otherwise: 'deny' as const },
        ]),
    );
  }

  /** `health`, and whether each takes its credentials, as far as that can be told; for the operator. */
  async examine(): Promise<readonly (RemoteHealth & { readonly unsure?: string })[]> {
    const healths = await this.health();
    return Promise.all(
      healths.map(async (health) => {
        // A server has been asked for its tools, with its credentials.
        const agent = health.ok && health.type === 'agent' ? this.agent(health.name) : undefined;
        const refusal = await agent?.refusal();
        if (refusal === undefined) return health;
        const { certain, text } = refusal;
        return certain ? { ...health, ok: false, text } : { ...health, unsure: text };
      }),
    );
  }

  async health(): Promise<readonly RemoteHealth[]> {
    return Promise.all([
      ...this.agents.map(async (one) => ({
        name: one.name,
        type: 'agent' as const,
        ...(await one.health()),
      })),
      ...this.servers.map(async (one) => ({
        name: one.name,
        type: 'mcp' as const,
        ...(await one.health()),
      })),
    ]);
  }
}
