import { Injectable, Logger } from '@nestjs/common';
import { TenantBackends } from '../assistant/backend-registry.js';
import type { SourceHealth } from '../assistant/sources/tenant-sources.js';
import { runTool, type ToolOutcome } from '../assistant/tools/run-tool.js';
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
      hide: (text) => text,
    };
    const outcome = await runTool(tool, args, { reads, outlet }, signal, (broken, error) => {
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.logger.error(`tool ${broken} failed (request ${ctx.requestId}): ${detail}`);
    });
    return { ...outcome, parts };
  }

  /** A sign of life of each source; the texts may be shown to the caller. */
  sources({ tenant }: CallContext, signal: AbortSignal): Promise<readonly SourceHealth[]> {
    return this.backends.health(tenant, signal);
  }
}
