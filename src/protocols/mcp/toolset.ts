import type { Toolset } from '../../config/toolsets.js';
import { ASSISTANT_INSTRUCTIONS, ASSISTANT_TOOLS } from './assistant-tool.js';
import { DIRECT_INSTRUCTIONS, DIRECT_TOOLS } from './direct-tools.js';
import { readTool } from './read-tools.js';
import { remoteTool, REMOTE_INSTRUCTIONS } from './remote-tools.js';
import { TASK_INSTRUCTIONS, TASK_TOOLS } from './task-tools.js';
import type { Tool } from './tool.js';
import type { ToolHost } from './tool-host.js';

const READ_INSTRUCTIONS =
  'The other tools read alerts, silences, rules, metrics and targets directly; each result names its sources, and a source with an error is missing from it.';

/** The toolsets whose tools are always the same. */
const FIXED: readonly { toolset: Toolset; tools: readonly Tool[]; told: readonly string[] }[] = [
  { toolset: 'assistant', tools: ASSISTANT_TOOLS, told: ASSISTANT_INSTRUCTIONS },
  { toolset: 'tasks', tools: TASK_TOOLS, told: TASK_INSTRUCTIONS },
  { toolset: 'direct', tools: DIRECT_TOOLS, told: DIRECT_INSTRUCTIONS },
];

const FIXED_BY_NAME: ReadonlyMap<string, { toolset: Toolset; tool: Tool }> = new Map(
  FIXED.flatMap(({ toolset, tools }) => tools.map((tool) => [tool.name, { toolset, tool }])),
);

type Caller = Pick<ToolHost, 'tools' | 'tenant' | 'exchange'>;

/** The caller's tools, in the order of the list, and what its client is told about them. */
export function toolsetOf(caller: Caller): {
  readonly tools: readonly Tool[];
  readonly instructions: string;
} {
  const fixed = FIXED.filter(({ toolset }) => caller.tenant.toolsets.includes(toolset));
  const reads = readsOf(caller);
  const remotes = remotesOf(caller);
  return {
    tools: [
      ...fixed.flatMap(({ tools }) => tools),
      ...reads.map(readTool),
      ...remotes.map(remoteTool),
    ],
    instructions: [
      ...fixed.flatMap(({ told }) => told),
      ...(reads.length > 0 ? [READ_INSTRUCTIONS] : []),
      ...(remotes.length > 0 ? [REMOTE_INSTRUCTIONS] : []),
    ].join('\n'),
  };
}

/** One of `toolsetOf`, without making the others; no tool of another server. */
export function ownToolOf(caller: Caller, name: string): Tool | undefined {
  const fixed = FIXED_BY_NAME.get(name);
  if (fixed !== undefined) {
    return caller.tenant.toolsets.includes(fixed.toolset) ? fixed.tool : undefined;
  }
  const read = readsOf(caller).find((info) => info.name === name);
  return read === undefined ? undefined : readTool(read);
}

function readsOf({ tools, tenant, exchange }: Caller) {
  const names: readonly string[] = tenant.toolsets;
  return tools.list(exchange.options.ctx).filter(({ name }) => names.includes(name));
}

function remotesOf({ tools, tenant, exchange }: Caller) {
  return tenant.toolsets.includes('remote') ? tools.remoteTools(exchange.options.ctx) : [];
}
