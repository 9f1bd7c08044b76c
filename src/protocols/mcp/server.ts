import { McpServer } from '@modelcontextprotocol/server';
import { PROTOCOLS } from '../../config/build-identity.js';
import { PRODUCT } from '../http/product.js';
import type { ToolHost } from './tool-host.js';
import { toolsetOf } from './toolset.js';

export const SERVER_INFO = { name: 'nightjar', title: PRODUCT.name, version: PRODUCT.version };

/** The tool list never changes while a gateway runs; clients may keep it for so long. */
const LIST_TTL_MS = 5 * 60_000;

/** The MCP server of one request: stateless, with the toolsets of the caller's tenant. */
export function serverOf(host: ToolHost): McpServer {
  const { tools, instructions } = toolsetOf(host);
  const server = new McpServer(SERVER_INFO, {
    instructions,
    capabilities: { tools: { listChanged: false } },
    supportedProtocolVersions: [...PROTOCOLS.mcp],
    cacheHints: {
      'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
    },
  });
  for (const { name, title, description, input, output, annotations, run } of tools) {
    server.registerTool(
      name,
      {
        ...(title === undefined ? {} : { title }),
        description,
        inputSchema: input,
        ...(output === undefined ? {} : { outputSchema: output }),
        annotations,
      },
      (args, { mcpReq }) => run(host, args, mcpReq),
    );
  }
  return server;
}
