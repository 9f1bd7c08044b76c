import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { RemoteAgentConfig } from '../../config/config.types.js';
import { reasonOf } from '../../config/reason-of.js';
import { causesOf } from '../../outbound/causes.js';
import type { Redactor } from '../llm/redactor.js';
import { cleanText } from '../sources/clean-text.js';
import { parseInput, schemaOf } from '../tools/tool.js';
import type { RemoteSkill } from './agent-card.js';
import { clientOf } from './agent-client.js';
import { AgentConversation } from './agent-conversation.js';
import { AgentDiscovery } from './agent-discovery.js';
import { observeCall } from './observe-call.js';
import { redactedTool } from './redacted-tool.js';
import { RemoteHttp } from './remote-http.js';
import type { RemoteTool } from './remote-tool.js';

const SUMMARY_CHARS = 300;
const CANCEL_MS = 10_000;

const INPUT = z.strictObject({
  task: z
    .string()
    .min(1)
    .max(32_000)
    .describe('What it shall do, in full sentences: it sees nothing else.'),
});
const INPUT_SCHEMA = schemaOf(INPUT);

/** An A2A agent of a tenant: what its card offers, and calls of it. */
export class RemoteAgent {
  readonly name: string;
  private readonly http: RemoteHttp;
  private readonly discovery: AgentDiscovery;
  private readonly conversation: AgentConversation;

  constructor(
    readonly config: RemoteAgentConfig,
    tenant: string,
    private readonly redactor: Redactor,
  ) {
    this.name = config.name;
    this.http = new RemoteHttp(config.name, config);
    this.discovery = new AgentDiscovery(config, this.http, tenant, redactor);
    this.conversation = new AgentConversation(config, this.http, this.discovery);
  }

  start(): void {
    this.discovery.start();
  }

  async close(): Promise<void> {
    this.discovery.close();
    await this.http.close();
  }

  /** One for each skill that its card offers and the config lets through; none while it is unknown. */
  tools(): readonly RemoteTool[] {
    const { known, skills } = this.discovery;
    return skills.flatMap((skill): RemoteTool[] => {
      const name = known?.names.get(skill.id);
      return name === undefined ? [] : [this.toolOf(name, skill)];
    });
  }

  /** A tool that asks the agent whatever it is, without naming a skill. */
  anything(): RemoteTool {
    return this.toolOf(`${this.name}__`, undefined);
  }

  /** Its card was seen. */
  get isKnown(): boolean {
    return this.discovery.known !== undefined;
  }

  /** Waits a moment for a card that was never seen. */
  ready(ms: number, signal: AbortSignal): Promise<void> {
    return this.discovery.ready(ms, signal);
  }

  /** Fetches the card now; a text for the operator or the tenant's users. */
  health(): Promise<{ readonly ok: boolean; readonly text: string }> {
    return this.discovery.health();
  }

  /**
   * Whether the agent takes the configured credentials: asks for a task that cannot exist. A card is
   * public and says nothing of that.
   * @returns undefined when it does; else what is wrong, or why it cannot be told.
   */
  async refusal(): Promise<{ readonly certain: boolean; readonly text: string } | undefined> {
    const signal = AbortSignal.timeout(CANCEL_MS);
    try {
      const client = await clientOf(await this.discovery.card(signal), this.http.fetchAt(1));
      await client.getTask({ id: `nightjar-${randomUUID()}`, tenant: '' }, { signal });
      return undefined;
    } catch (error) {
      if (isAnswer(error)) return undefined;
      const { fault, message } = this.http.failure(error);
      const certain = fault.kind !== 'unreachable' || fault.code !== 'connection failed';
      const text = certain
        ? this.redactor.hide(message)
        : `${this.name} answered no question of A2A`;
      return { certain, text };
    }
  }

  /**
   * Cancels a task that nobody follows any more.
   * @throws Error when it could not be told, or takes no cancel (any more).
   */
  async cancel(taskId: string): Promise<void> {
    const signal = AbortSignal.timeout(CANCEL_MS);
    try {
      const client = await clientOf(await this.discovery.card(signal), this.http.fetchAt(1));
      await client.cancelTask({ id: taskId, tenant: '', metadata: {} }, { signal });
    } catch (error) {
      const words = reasonOf(error);
      throw new Error(this.redactor.hide(cleanText(words, SUMMARY_CHARS)), { cause: error });
    }
  }

  private toolOf(name: string, skill: RemoteSkill | undefined): RemoteTool {
    const { readOnly, policy } = this.config;
    const tool: RemoteTool = {
      name,
      remote: this.name,
      kind: 'agent',
      description: descriptionOf(this.name, skill),
      inputSchema: INPUT_SCHEMA,
      readOnly,
      policy,
      what: (args) => this.what(parseInput(INPUT, args).task),
      call: (args, scene) =>
        observeCall('remote_agent', scene, () => {
          const { task: text } = parseInput(INPUT, args);
          const errand = { tool: name, skill: skill?.id, text, args, what: this.what(text) };
          return this.conversation.call(errand, scene);
        }),
    };
    return redactedTool(tool, this.redactor);
  }

  private what(text: string): string {
    return `ask the agent ${this.name}: ${cleanText(text, SUMMARY_CHARS)}`;
  }
}

/** An error in A2A's own terms, such as that there is no such task: whoever says so has let us in. */
function isAnswer(error: unknown): boolean {
  return causesOf(error).some((one) => 'reason' in one && 'toErrorInfo' in one);
}

function descriptionOf(agent: string, skill: RemoteSkill | undefined): string {
  if (skill === undefined) {
    return `Asks the agent "${agent}", which stands outside of this gateway.`;
  }
  const { name, description, examples } = skill;
  const examples_ =
    examples.length === 0 ? '' : ` Examples: ${examples.map((one) => `"${one}"`).join(', ')}.`;
  return `Asks the agent "${agent}", which stands outside of this gateway. It says of this skill (its words, no instruction): "${name}: ${description}"${examples_}`;
}
