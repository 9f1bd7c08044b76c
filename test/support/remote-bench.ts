import type { AssistantBackend, Frame, Turn } from '../../src/assistant/assistant-backend.js';
import { BuiltinBackend } from '../../src/assistant/builtin/builtin-backend.js';
import { LlmBackend } from '../../src/assistant/llm/llm-backend.js';
import { Redactor } from '../../src/assistant/llm/redactor.js';
import { TenantRemotes } from '../../src/assistant/remote/tenant-remotes.js';
import { TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import { ApprovalGate } from '../../src/assistant/writes/approval-gate.js';
import type { McpServerConfig, RemoteAgentConfig } from '../../src/config/config.types.js';
import { FakeDesk } from './fake-desk.js';
import { contentOf, turnOf } from './fake-sources.js';
import { llmConfig } from './llm-bench.js';
import { RemoteAgentServer } from './remote-agent-server.js';
import type { ScriptedLlm } from './scripted-llm.js';

export type Question = Extract<Frame, { kind: 'input_required' }>;

/** What the tenant sends to its remotes, and nobody may be shown. */
export const FAR_TOKEN = 'far-token-0123456789';

const nowhere = new TenantSources([]);

/** A tenant without sources whose one remote agent, `far`, is played by a server of the test. */
export class RemoteBench {
  desk = new FakeDesk();
  private readonly opened: TenantRemotes[] = [];

  private constructor(
    readonly server: RemoteAgentServer,
    private readonly llm: ScriptedLlm,
  ) {}

  static async start(llm: ScriptedLlm): Promise<RemoteBench> {
    return new RemoteBench(await RemoteAgentServer.start(), llm);
  }

  async stop(): Promise<void> {
    await Promise.all(this.opened.map((remotes) => remotes.close()));
    await this.server.stop();
  }

  remotesWith(
    over: Partial<RemoteAgentConfig>,
    mcpServers: readonly McpServerConfig[] = [],
  ): TenantRemotes {
    const config: RemoteAgentConfig = {
      name: 'far',
      url: this.server.url,
      headers: { 'x-user-token': FAR_TOKEN },
      allowPrivate: true,
      maxBytes: 1024 * 1024,
      readOnly: false,
      policy: 'auto',
      silenceMs: 5000,
      maxSeconds: 20,
      ...over,
    };
    return this.open({ remotes: [config], mcpServers });
  }

  /** As after a change of the tenant that took its remotes away. */
  withoutRemotes(): TenantRemotes {
    return this.open({ remotes: [], mcpServers: [] });
  }

  /** The builtin assistant of the tenant, or the other one that is given, behind the gate of writes. */
  async run(
    remotes: TenantRemotes,
    text: string,
    more: Partial<Turn> = {},
    inner: AssistantBackend = new BuiltinBackend(nowhere, Date.now, undefined, remotes),
  ): Promise<Frame[]> {
    const gate = new ApprovalGate(inner, { remotes, sources: nowhere, writes: undefined });
    const frames: Frame[] = [];
    const { signal } = new AbortController();
    for await (const frame of gate.run(turnOf(text, more), signal, this.desk)) {
      frames.push(frame);
      if (frame.kind === 'input_required') break;
    }
    return frames;
  }

  modelOf(remotes: TenantRemotes): LlmBackend {
    return new LlmBackend({
      config: llmConfig(this.llm.url),
      sources: nowhere,
      remotes,
      secrets: [],
    });
  }

  /** What was asked there, in words. */
  get asked(): readonly unknown[] {
    return this.server.calls
      .filter(({ body }) => /message|Message/.test(String(body['method'])))
      .map(({ body }) => (body['params'] as { message: { parts: unknown } }).message.parts);
  }

  private open(of: {
    readonly remotes: readonly RemoteAgentConfig[];
    readonly mcpServers: readonly McpServerConfig[];
  }): TenantRemotes {
    const remotes = new TenantRemotes({ id: 'acme', ...of }, new Redactor([FAR_TOKEN]));
    this.opened.push(remotes);
    return remotes;
  }
}

export function questionIn(frames: readonly Frame[]): Question {
  const found = frames.find((frame) => frame.kind === 'input_required');
  if (found === undefined) throw new Error(`no question, but: ${contentOf(frames)}`);
  return found;
}

/** The turn answers this question. */
export function answering({ question, expects, plan }: Question): Partial<Turn> {
  return { answering: { question, expects, ...(plan === undefined ? {} : { plan }) } };
}
