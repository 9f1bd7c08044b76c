// A peer: the MCP SDK's own stateless server, a server and a transport for each request, on Express.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import { z } from 'zod';

const app = express();
app.use(express.json());
app.post('/mcp', async (request, response) => {
  const server = new McpServer({ name: 'peer', version: '1' });
  server.registerTool(
    'n9e_assistant',
    { description: 'says hello', inputSchema: { message: z.string() } },
    async () => ({ content: [{ type: 'text', text: 'hello' }] }),
  );
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on('close', () => {
    void transport.close();
    void server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('peer is ready\n'));
