/**
 * How many agents have called each other until a request came here. Sent along on every call of a
 * remote agent or MCP server, so that two gateways which are each other's remote end at a bound and
 * not in a loop.
 */
export const DEPTH_HEADER = 'x-agent-depth';

/** A request that has come so far makes no further calls. */
export const MOST_DEPTH = 4;

/** The depth that a header names; 0 for one that is absent, the most for one that is no number. */
export function depthOf(header: string | readonly string[] | undefined): number {
  if (header === undefined) return 0;
  const text = typeof header === 'string' ? header : (header.at(-1) ?? '');
  return /^\d{1,3}$/.test(text) ? Math.min(Number(text), MOST_DEPTH) : MOST_DEPTH;
}
