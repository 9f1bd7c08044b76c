import { McpServer } from '@modelcontextprotocol/server';
import { PROTOCOLS } from '../../config/build-identity.js';
import type { Toolset } from '../../config/toolsets.js';
import { PRODUCT } from '../http/product.js';
import { ASSISTANT_INSTRUCTIONS, registerAssistant } from './assistant-tool.js';
import { DIRECT_INSTRUCTIONS, registerDirect } from './direct-tools.js';
import { registerRead } from './read-tools.js';
import { registerRemote, REMOTE_INSTRUCTIONS } from './remote-tools.js';
import { registerTasks, TASK_INSTRUCTIONS } from './task-tools.js';
import type { ToolHost } from './tool-host.js';

const SERVER_INFO = { name: 'nightjar', title: PRODUCT.name, version: PRODUCT.version };

/** The tool list never changes while a gateway runs; clients may keep it for so long. */
const LIST_TTL_MS = 5 * 60_000;

const READ_INSTRUCTIONS =
  'The other tools read alerts, silences, rules, metrics and targets directly; each result names its sources, and a source with an error is missing from it.';

/** The MCP server of one request: stateless, with the toolsets of the caller's tenant. */
export function serverOf(host: ToolHost): McpServer {
  const { toolsets } = host.tenant;
  const reads = host.tools
    .list(host.exchange.options.ctx)
    .filter(({ name }) => (toolsets as readonly string[]).includes(name));
  const has = (toolset: Toolset): boolean => toolsets.includes(toolset);
  const remotes = has('remote') ? host.tools.remoteTools(host.exchange.options.ctx) : [];
  const server = new McpServer(SERVER_INFO, {
    instructions: [
      ...(has('assistant') ? ASSISTANT_INSTRUCTIONS : []),
      ...(has('tasks') ? TASK_INSTRUCTIONS : []),
      ...(has('direct') ? DIRECT_INSTRUCTIONS : []),
      ...(reads.length > 0 ? [READ_INSTRUCTIONS] : []),
      ...(remotes.length > 0 ? [REMOTE_INSTRUCTIONS] : []),
    ].join('\n'),
    capabilities: { tools: { listChanged: false } },
    supportedProtocolVersions: [...PROTOCOLS.mcp],
    cacheHints: {
      'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
    },
  });
  if (has('assistant')) registerAssistant(server, host);
  if (has('tasks')) registerTasks(server, host);
  if (has('direct')) registerDirect(server, host);
  for (const tool of reads) registerRead(server, host, tool);
  for (const tool of remotes) registerRemote(server, host, tool);
  return server;
}
