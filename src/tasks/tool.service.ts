import { Injectable, Logger } from '@nestjs/common';
import { TenantBackends } from '../assistant/backend-registry.js';
import type { SourceHealth } from '../assistant/sources/tenant-sources.js';
import { cut } from '../assistant/sources/clean-text.js';
import { directWords } from '../assistant/remote/direct-words.js';
import type { RemoteHealth } from '../assistant/remote/tenant-remotes.js';
import type { RemoteTool } from '../assistant/remote/remote-tool.js';
import { runTool, type ToolOutcome } from '../assistant/tools/run-tool.js';
import { ToolInputError } from '../assistant/tools/tool-input-error.js';
import { SourceReads } from '../assistant/tools/source-reads.js';
import { TOOLS, toolsOf } from '../assistant/tools/tool-registry.js';
import type { ToolOutlet } from '../assistant/tools/tool.js';
import type { JsonObject, Part } from '../domain/a2a.js';
import type { CallContext } from '../domain/call-context.js';
import { AllowanceService } from '../execution/allowance.service.js';

/** A tool as its callers see it. */
export interface ToolInfo {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonObject;
  readonly readOnly: boolean;
}

export interface DirectOutcome extends ToolOutcome {
  /** Pictures and files that it made. */
  readonly parts: readonly Part[];
}

/** How a call of a remote tool ended; its text says whose words it quotes. */
export interface RemoteOutcome extends Pick<DirectOutcome, 'success' | 'show' | 'parts'> {
  /** Configured name of the agent or server. */
  readonly remote: string;
  readonly kind: RemoteTool['kind'];
  /** The document that an MCP server has sent beside its texts, as it is. */
  readonly structured?: JsonObject;
}

/**
 * The assistant's tools without the assistant: no task, nothing kept. Only those that read: what
 * writes needs an approval, which is asked for in a task.
 */
@Injectable()
export class ToolService {
  private readonly logger = new Logger(ToolService.name);

  constructor(
    private readonly backends: TenantBackends,
    private readonly allowances: AllowanceService,
  ) {}

  /**
   * Tools of the tenant's other agents and servers that only read. None for a user of n9e: what they
   * show cannot be narrowed down to busi groups.
   */
  remoteTools({ tenant, busiGroups }: CallContext): readonly RemoteTool[] {
    if (busiGroups !== undefined) return [];
    const all = this.backends.remotesOf(tenant)?.tools() ?? [];
    return all.filter(({ readOnly }) => readOnly);
  }

  /**
   * Undefined for a tool that `remoteTools` does not name.
   * @throws the signal's reason when it aborts; DomainError QUOTA (the day's tool calls).
   */
  async callRemote(
    ctx: CallContext,
    name: string,
    args: unknown,
    signal: AbortSignal,
  ): Promise<RemoteOutcome | undefined> {
    const tool = this.remoteTools(ctx).find((known) => known.name === name);
    if (tool === undefined) return undefined;
    await this.allowances.of(ctx).demand('tools', 1);
    const { tenant, requestId, depth } = ctx;
    const turn = { tenant, taskId: requestId, ...(depth === undefined ? {} : { depth }) };
    const { remote, kind } = tool;
    const parts: Part[] = [];
    try {
      const calling = tool.call(args, { turn, desk: undefined, signal });
      let step = await calling.next();
      for (; step.done !== true; step = await calling.next()) {
        if (step.value.kind === 'artifact') parts.push(...step.value.parts);
      }
      const { success, structured } = step.value;
      const shown = directWords(remote, step.value);
      return {
        ...{ success, parts, remote, kind, show: (max) => cut(shown, max) },
        ...(structured === undefined ? {} : { structured }),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ToolInputError)) throw error;
      return { success: false, parts, remote, kind, show: (max) => cut(error.message, max) };
    }
  }

  /** What each remote offers, asked now; the texts may be shown to the caller. */
  remotes({ tenant }: CallContext): Promise<readonly RemoteHealth[]> {
    return this.backends.remoteHealth(tenant);
  }

  /** In the registry's order; none for a tenant without a source to read. */
  list({ tenant }: CallContext): readonly ToolInfo[] {
    const sources = this.backends.sourcesOf(tenant);
    if (sources.all.length === 0) return [];
    return toolsOf(sources).filter(({ readOnly }) => readOnly);
  }

  /**
   * Undefined for a tool that `list` does not name. A user of n9e sees what the assistant would show.
   * @throws the signal's reason when it aborts; DomainError QUOTA (the day's tool calls).
   */
  async call(
    ctx: CallContext,
    name: string,
    args: unknown,
    signal: AbortSignal,
  ): Promise<DirectOutcome | undefined> {
    const tool = TOOLS.find((known) => known.name === name);
    if (tool === undefined || !this.list(ctx).includes(tool)) return undefined;
    await this.allowances.of(ctx).demand('tools', 1);
    const reads = new SourceReads(this.backends.sourcesOf(ctx.tenant).seenBy(ctx));
    const parts: Part[] = [];
    const outlet: ToolOutlet = {
      language: 'en',
      attach: (artifact) => parts.push(...artifact.parts),
    };
    const outcome = await runTool(tool, args, { reads, outlet }, signal, (broken, error) => {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const shown = reads.sources.redactor.hide(detail);
      this.logger.error(`tool ${broken} failed (request ${ctx.requestId}): ${shown}`);
    });
    return { ...outcome, parts };
  }

  /** A sign of life of each source; the texts may be shown to the caller. */
  sources({ tenant }: CallContext, signal: AbortSignal): Promise<readonly SourceHealth[]> {
    return this.backends.health(tenant, signal);
  }
}
