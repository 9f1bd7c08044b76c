import type { GatewayConfig } from '../../config/config.types.js';
import { DomainError } from '../../domain/errors.js';

/** 404 with the paths that do exist, so that a wrong base URL is found at the first try. */
export function pathNotFound(config: GatewayConfig): DomainError {
  const a2a: Record<string, string> = config.a2a.enabled
    ? {
        agentCard: '/.well-known/agent-card.json',
        a2aJsonRpc: '/a2a (A2A-Version: 1.0, or no header for 0.3), /a2a/v1, /a2a/v03',
        a2aRest: '/a2a/message:send, /a2a/message:stream, /a2a/tasks',
      }
    : {};
  const mcp: Record<string, string> =
    config.a2a.enabled && config.mcp.enabled ? { mcp: '/mcp' } : {};
  return new DomainError('PATH_NOT_FOUND', 'No such path', { metadata: { ...a2a, ...mcp } });
}

/** The same below the admin API, where the protocols are not. */
export function notOnManagement(): DomainError {
  return new DomainError('PATH_NOT_FOUND', 'No such path', {
    metadata: { description: '/openapi.json' },
  });
}
