import { Inject, Injectable } from '@nestjs/common';
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { type BuildIdentity, buildIdentity } from '../../config/build-identity.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config/config.types.js';
import { FileService } from '../../tasks/file.service.js';
import { TaskService } from '../../tasks/task.service.js';
import { ToolService } from '../../tasks/tool.service.js';
import { TenantDirectory } from '../../tenant/tenant.directory.js';
import type { McpExchange } from './exchange.js';
import type { ToolHost } from './tool-host.js';

/** Makes what the tools of one request work with. */
@Injectable()
export class ToolHosts {
  private readonly build: BuildIdentity;

  constructor(
    private readonly tasks: TaskService,
    private readonly tools: ToolService,
    private readonly files: FileService,
    private readonly tenants: TenantDirectory,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {
    // Now and not in a call: it asks git, and waits for it. Whoever is to see it may come later.
    this.build = buildIdentity();
  }

  of(exchange: McpExchange, era: ProtocolEra): ToolHost {
    const { tasks, tools, build } = this;
    const { ctx } = exchange.options;
    return {
      ...{ tasks, tools, exchange, era, build },
      tenant: this.tenants.get(ctx.tenant),
      maxWaitMs: this.config.mcp.maxWaitSeconds * 1000,
      readFiles: (taskId, names) => this.files.readMany(ctx, taskId, names),
    };
  }
}
