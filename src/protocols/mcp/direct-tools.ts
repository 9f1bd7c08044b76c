import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { DomainError } from '../../domain/errors.js';
import { fitsAnswer } from './bounded-answer.js';
import { withParts } from './pictures.js';
import { documentResult } from './task-result.js';
import { defineTool } from './tool.js';
import { answer, type ToolHost } from './tool-host.js';

export const DIRECT_INSTRUCTIONS = [
  'inspect shows what this server is and whether its sources live; tools lists the tools that read the sources, and invoke calls one of them directly, without the assistant.',
];

/** UTF-8 bytes (seed-behaviours S93). */
const NAME_BYTES = 128;

const READS = { readOnlyHint: true, openWorldHint: true } as const;

const SERVER = z.looseObject({
  version: z.string(),
  tenant: z.string(),
  backend: z.string(),
  sources: z.array(
    z.object({ name: z.string(), type: z.string(), ok: z.boolean(), text: z.string() }),
  ),
});

const TOOL_LIST = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      inputSchema: z.record(z.string(), z.unknown()),
      readOnly: z.boolean(),
    }),
  ),
});

const INVOCATION = z.object({
  tool: z.string().min(1).describe('Its name.'),
  arguments: z.record(z.string(), z.unknown()).optional().describe('As its schema says.'),
});

/** The toolset `direct`: tools without the assistant (seed-behaviours S27 … S29). */
export const DIRECT_TOOLS = [
  defineTool({
    name: 'inspect',
    title: 'What this server is',
    description:
      'Version and build, protocol versions, your tenant, its assistant, its sources and their health, and the limits that you can meet.',
    input: z.object({}),
    output: SERVER,
    annotations: READS,
    run: (host) => answer(host, () => inspect(host)),
  }),
  defineTool({
    name: 'tools',
    title: 'List the direct tools',
    description: 'The tools that invoke can call, with the JSON Schemas of their arguments.',
    input: z.object({}),
    output: TOOL_LIST,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (host) => answer(host, () => Promise.resolve(listTools(host))),
  }),
  defineTool({
    name: 'invoke',
    title: 'Call a direct tool',
    description:
      'Call one of the tools that the tool "tools" lists. output is its result as JSON, shortened when it is long.',
    input: INVOCATION,
    output: z.object({ tool: z.string(), success: z.boolean(), output: z.string() }),
    annotations: READS,
    run: (host, { tool, arguments: args }) => answer(host, () => invoke(host, tool, args ?? {})),
  }),
];

async function inspect({ tools, exchange, tenant, build }: ToolHost): Promise<CallToolResult> {
  const { ctx, limits } = exchange.options;
  const { version, protocols, ...rest } = build;
  return documentResult({
    version,
    build: rest,
    protocols,
    tenant: ctx.tenant,
    user: ctx.user,
    backend: tenant.assistant.backend,
    toolsets: tenant.toolsets,
    sources: await tools.sources(ctx, exchange.over),
    remotes: await tools.remotes(ctx),
    limits,
  });
}

function listTools({ tools, exchange }: ToolHost): CallToolResult {
  const shown = tools
    .list(exchange.options.ctx)
    .map(({ name, description, inputSchema, readOnly }) => ({
      ...{ name, description, inputSchema, readOnly },
    }));
  return documentResult({ tools: shown });
}

async function invoke(
  { tools, exchange }: ToolHost,
  tool: string,
  args: Record<string, unknown>,
): Promise<CallToolResult> {
  if (Buffer.byteLength(tool) > NAME_BYTES) {
    throw new DomainError('INVALID_PARAMS', `tool must not be longer than ${NAME_BYTES} bytes`);
  }
  const outcome = await tools.call(exchange.options.ctx, tool, args, exchange.over);
  const success = outcome?.success ?? false;
  const output =
    outcome === undefined
      ? 'There is no such tool; the tool "tools" lists them.'
      : shownOutput(outcome);
  const told: CallToolResult = {
    content: [{ type: 'text', text: output }],
    structuredContent: { tool, success, output },
    ...(success ? {} : { isError: true }),
  };
  return withParts(told, outcome?.parts ?? []);
}

/** As much of an outcome as a result may carry twice: once as it is, once inside JSON. */
export function shownOutput(outcome: { show(max: number): string }): string {
  for (const max of [20_000, 12_000]) {
    const text = outcome.show(max);
    if (fitsAnswer(JSON.stringify(text))) return text;
  }
  return outcome.show(6000);
}
