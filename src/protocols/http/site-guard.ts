import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../config/config.types.js';
import { DomainError } from '../../domain/errors.js';
import { callerProtocolOf, routedPathOf } from './caller-protocol.js';
import { isOnManagement } from './management-requests.js';
import { pathNotFound } from './path-not-found.js';
import { sendError, toWireError } from './send-error.js';
import { SiteRules } from './site-rules.js';

/** Probes are asked by address, by kubelets and balancers. */
const ADMIN = '/admin';
const PROBES = new Set(['/livez', '/readyz', '/metrics']);
const METHODS = 'GET, POST, DELETE';
const ADMIN_METHODS = 'GET, POST, PUT, DELETE';
/** What a change of a tenant is made under. */
const ADMIN_SENT = 'if-match, if-none-match';
const SENT = [
  'authorization',
  'content-type',
  'a2a-version',
  'a2a-extensions',
  'x-a2a-extensions',
  'idempotency-key',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'x-request-id',
];
const SEEN =
  'x-request-id, content-disposition, retry-after, ratelimit, ratelimit-policy, www-authenticate, allow, etag, a2a-extensions, x-a2a-extensions, mcp-session-id';
const PREFLIGHT_SECONDS = '600';

/**
 * Host, Origin and CORS of every protocol in one place: a Host or Origin that is not allowed is 403
 * in the caller's protocol before any token is looked at. CORS names the page's own origin, never
 * `*`, and never allows credentials: tokens travel in headers that a page must set itself. The admin
 * API is there on the management listener only, with the hosts of that one.
 */
export function guardSites(fastify: FastifyInstance, config: GatewayConfig): void {
  const rules = new SiteRules(config);
  const adminRules = adminRulesOf(config);
  const sent = [...SENT, config.auth.headerName.toLowerCase()].join(', ');
  // In onRequest, so that a hijacked stream has them, too.
  fastify.addHook('onRequest', (request, reply, done) => {
    const { origin, host } = request.headers;
    addVary(reply, 'Origin');
    if (origin !== undefined && rules.hostAllowed(host) && rules.originAllowed(origin, host)) {
      reply.header('access-control-allow-origin', origin);
      reply.header('access-control-expose-headers', SEEN);
    }
    done();
  });
  // After every onRequest hook: a refusal is in the access log and in the metrics.
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    if (PROBES.has(request.url)) {
      done();
      return;
    }
    const path = routedPathOf(request);
    const isAdmin = path === ADMIN || path.startsWith(`${ADMIN}/`);
    if (isAdmin && config.management.port !== 0 && !isOnManagement(request.raw)) {
      sendError(reply, 'rest', toWireError(pathNotFound(config), reply));
      return;
    }
    const refusal = refusalOf(isAdmin ? adminRules : rules, request);
    if (refusal !== undefined) {
      sendError(reply, callerProtocolOf(path), toWireError(refusal, reply));
    } else if (isPreflight(request)) {
      reply
        .code(204)
        .header('access-control-allow-methods', isAdmin ? ADMIN_METHODS : METHODS)
        .header('access-control-allow-headers', isAdmin ? `${sent}, ${ADMIN_SENT}` : sent)
        .header('access-control-max-age', PREFLIGHT_SECONDS)
        .send();
    } else {
      done();
    }
  });
}

/** The management listener has its own bind; it has no public name and no pages. */
function adminRulesOf(config: GatewayConfig): SiteRules {
  const { admin, management } = config;
  if (management.port === 0) return new SiteRules(config);
  return new SiteRules({ allowedHosts: admin.allowedHosts, listen: management });
}

/** What the base URL of a gateway without a `publicUrl` varies by. */
export const FORWARDED =
  'X-Forwarded-Host, X-Forwarded-Proto, X-Forwarded-Port, X-Forwarded-Prefix';

/** Adds to what the response varies by. */
export function addVary(reply: FastifyReply, names: string): void {
  const known = reply.getHeader('vary');
  reply.header('vary', known === undefined ? names : `${String(known)}, ${names}`);
}

function refusalOf(rules: SiteRules, { headers, url }: FastifyRequest): DomainError | undefined {
  const { host, origin } = headers;
  // A target with an authority of its own counts before Host (RFC 9112 section 3.2.2).
  const [, named = host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (!rules.hostAllowed(host) || !rules.hostAllowed(named)) {
    return new DomainError(
      'PERMISSION_DENIED',
      'This Host is not allowed here; publicUrl or allowedHosts must name it',
    );
  }
  if (origin === undefined || rules.originAllowed(origin, host)) return undefined;
  return new DomainError('PERMISSION_DENIED', 'This Origin is not allowed');
}

function isPreflight({ method, headers }: FastifyRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  );
}
