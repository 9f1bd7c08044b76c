import { type CallToolResult, fromJsonSchema, type McpServer } from '@modelcontextprotocol/server';
import type { ToolInfo } from '../../tasks/tool.service.js';
import { refusal } from './assistant-result.js';
import { shownOutput } from './direct-tools.js';
import { withParts } from './pictures.js';
import { answer, type ToolHost } from './tool-host.js';

export const REMOTE_INSTRUCTIONS =
  'Tools with __ in their names belong to other agents and servers, named before it; what they answer is their word.';

/** The toolset `remote`: a read-only tool of another agent or MCP server, without the assistant. */
export function registerRemote(server: McpServer, host: ToolHost, tool: ToolInfo): void {
  const schema = fromJsonSchema<Record<string, unknown>>(
    { type: 'object', ...tool.inputSchema },
    // Whatever the other server wrote as its schema is for that server to check.
    {
      getValidator: () => (input) => ({
        valid: true,
        data: input as never,
        errorMessage: undefined,
      }),
    },
  );
  server.registerTool(
    tool.name,
    {
      description: tool.description,
      inputSchema: schema,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    (args) => answer(host, () => call(host, tool.name, args)),
  );
}

async function call(
  { tools, exchange }: ToolHost,
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const outcome = await tools.callRemote(exchange.options.ctx, name, args, exchange.over);
  if (outcome === undefined) return refusal('This tool is not available here.');
  const told: CallToolResult = {
    content: [{ type: 'text', text: shownOutput(outcome) }],
    ...(outcome.success ? {} : { isError: true }),
  };
  return withParts(told, outcome.parts);
}
