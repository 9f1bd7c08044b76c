// An MCP server over stdio for tests: `add` reads, `write` writes, `env` tells what it was given.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const server = new McpServer({ name: 'double', version: '1' });
server.registerTool(
  'add',
  {
    description: 'adds',
    inputSchema: { a: z.number(), b: z.number() },
    annotations: { readOnlyHint: true },
  },
  ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
);
server.registerTool('write', { description: 'writes', inputSchema: {} }, () => ({
  content: [{ type: 'text', text: 'written' }],
}));
server.registerTool(
  'env',
  { description: 'its environment', inputSchema: {}, annotations: { readOnlyHint: true } },
  () => ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }),
);
server.registerTool(
  'exit',
  { description: 'ends the process', inputSchema: {}, annotations: { readOnlyHint: true } },
  () => process.exit(1),
);
await server.connect(new StdioServerTransport());
