import { type CallToolResult, fromJsonSchema } from '@modelcontextprotocol/server';
import type { ToolInfo } from '../../tasks/tool.service.js';
import { refusal } from './assistant-result.js';
import { shownOutput } from './direct-tools.js';
import { withParts } from './pictures.js';
import { defineTool, type Tool } from './tool.js';
import { answer, type ToolHost } from './tool-host.js';

export const REMOTE_INSTRUCTIONS =
  'Tools with __ in their names belong to other agents and servers, named before it; what they answer is their word.';

/** The toolset `remote`: a read-only tool of another agent or MCP server, without the assistant. */
export function remoteTool({ name, description, inputSchema }: ToolInfo): Tool {
  const schema = fromJsonSchema<Record<string, unknown>>(
    { type: 'object', ...inputSchema },
    // Whatever the other server wrote as its schema is for that server to check.
    {
      getValidator: () => (input) => ({
        valid: true,
        data: input as never,
        errorMessage: undefined,
      }),
    },
  );
  return defineTool({
    name,
    description,
    input: schema,
    annotations: { readOnlyHint: true, openWorldHint: true },
    run: (host, args) => answer(host, () => call(host, name, args)),
  });
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
