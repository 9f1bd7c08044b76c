import { type CallToolResult, fromJsonSchema } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { ToolInfo } from '../../tasks/tool.service.js';
import { refusal } from './assistant-result.js';
import { shownOutput } from './direct-tools.js';
import { withParts } from './pictures.js';
import { defineTool, type Tool } from './tool.js';
import { answer, type ToolHost } from './tool-host.js';

/** What every tool of the registry says of where its facts come from; the rest is the tool's own. */
const OUTPUT = z.looseObject({
  query: z.string().describe('What was asked of the sources.'),
  time: z.string().describe('When they were read, RFC 3339.'),
  sources: z
    .array(z.looseObject({ name: z.string(), type: z.string(), error: z.string().optional() }))
    .describe('Every source that was asked; one with an error is missing from the rest.'),
});

const made = new WeakMap<ToolInfo, Tool>();

/** A toolset that is one tool of the registry: it reads the tenant's sources, without the assistant. */
export function readTool(info: ToolInfo): Tool {
  const known = made.get(info);
  if (known !== undefined) return known;
  const { name, description, inputSchema, readOnly } = info;
  const tool = defineTool({
    name,
    title: titleOf(name),
    description,
    input: fromJsonSchema<Record<string, unknown>>({ ...inputSchema }),
    output: OUTPUT,
    annotations: { readOnlyHint: readOnly, openWorldHint: true },
    run: (host, args) => answer(host, () => read(host, name, args)),
  });
  made.set(info, tool);
  return tool;
}

async function read(
  { tools, exchange }: ToolHost,
  name: string,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  const outcome = await tools.call(exchange.options.ctx, name, args, exchange.over);
  if (outcome === undefined) return refusal('This tool is not available here.');
  const text = shownOutput(outcome);
  const { result, success } = outcome;
  if (result === undefined) return refusal(text);
  const { query, time, sources } = result;
  const told: CallToolResult = {
    content: [{ type: 'text', text }],
    structuredContent: parsed(text) ?? { query, time, sources, shortened: true },
    ...(success ? {} : { isError: true }),
  };
  return withParts(told, outcome.parts);
}

/** Undefined for a result that was cut where it is no JSON any more. */
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** `list_alerts` → `List alerts`. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
