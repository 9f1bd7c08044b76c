/** A binding of a version: what a behaviour is proved over. */
export const CELLS = [
  'card-1.0',
  'card-0.3',
  'rest-1.0',
  'jsonrpc-1.0',
  'jsonrpc-0.3',
  'mcp-2025',
  'mcp-2026',
  'http',
  'admin',
] as const;
export type Cell = (typeof CELLS)[number];

/** The bindings over which tasks of A2A are sent and read. */
export type A2aCell = 'rest-1.0' | 'jsonrpc-1.0' | 'jsonrpc-0.3';
export type McpCell = 'mcp-2025' | 'mcp-2026';

export const CARDS = ['card-1.0', 'card-0.3'] as const satisfies readonly Cell[];
export const A2A = ['rest-1.0', 'jsonrpc-1.0', 'jsonrpc-0.3'] as const satisfies readonly Cell[];
export const A2A_1_0 = ['rest-1.0', 'jsonrpc-1.0'] as const satisfies readonly Cell[];
export const JSON_RPC = ['jsonrpc-1.0', 'jsonrpc-0.3'] as const satisfies readonly Cell[];
export const MCP = ['mcp-2025', 'mcp-2026'] as const satisfies readonly Cell[];

export function isA2a(cell: Cell): cell is A2aCell {
  return (A2A as readonly Cell[]).includes(cell);
}

export function isMcp(cell: Cell): cell is McpCell {
  return (MCP as readonly Cell[]).includes(cell);
}
