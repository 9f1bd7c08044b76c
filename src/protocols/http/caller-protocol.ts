import type { FastifyRequest } from 'fastify';

/**
 * Whose error shape an HTTP-level refusal (no token, wrong type, no such path) takes:
 * `a2a-rpc` and `mcp` are JSON-RPC, `rest` is AIP-193.
 */
export type CallerProtocol = 'a2a-rpc' | 'mcp' | 'rest';

/** The JSON-RPC endpoints of A2A; everything else under /a2a is REST. */
export const A2A_RPC_PATHS: readonly string[] = ['/a2a', '/a2a/v1', '/a2a/v03'];

/** @param url path with or without a query. */
export function callerProtocolOf(url: string): CallerProtocol {
  const path = pathOf(url);
  if (path === '/mcp' || path.startsWith('/mcp/')) return 'mcp';
  return A2A_RPC_PATHS.includes(path) ? 'a2a-rpc' : 'rest';
}

/**
 * The path by which a request was routed. A target can be written in other ways than its path alone
 * (`/%61dmin`, `http://host/admin`, `/admin#`): the router reads them all, and who decides by the text
 * of the target decides about another path. Such a request has the path of its route (`/admin/v1/…/:id`),
 * and, where it has none, the path as the router reads it.
 */
export function routedPathOf({ url, routeOptions }: FastifyRequest): string {
  const isPlain = url.startsWith('/') && !/[%#]/.test(url);
  return isPlain ? pathOf(url) : (routeOptions.url ?? readPathOf(url));
}

/** The path of a target as the router reads it: without origin, query and fragment, with escapes resolved. */
export function readPathOf(url: string): string {
  const [path = ''] = url.replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/);
  try {
    return pathOf(decodeURI(path));
  } catch {
    return pathOf(path);
  }
}

/** The path of a request target: no query, no trailing slash. */
export function pathOf(url: string): string {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
