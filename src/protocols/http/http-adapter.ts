import { randomUUID } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Transform } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  DEFAULT_LIMITS,
  type GatewayConfig,
  type TenantConfig,
} from '../../config/config.types.js';
import { type Challenge, DomainError } from '../../domain/errors.js';
import { refuseClient } from '../../health/refuse-client.js';
import { baseUrlOf } from './base-url.js';
import { callerProtocolOf, routedPathOf } from './caller-protocol.js';
import { challengeText } from './challenge.js';
import { ListenerTls } from './listener-tls.js';
import { isOnManagement } from './management-requests.js';
import { RouteTable } from './route-table.js';
import { sendError, toWireError } from './send-error.js';
import { guardSites } from './site-guard.js';
import { AddressList } from '../../domain/address-list.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Set by createHttpAdapter. */
    routeTable?: RouteTable;
    /** Under which URL a caller reaches the gateway; see baseUrlOf. Set by createHttpAdapter. */
    baseUrlOf?: (request: FastifyRequest) => string;
    /** What WWW-Authenticate says to a refused request. Set by createHttpAdapter. */
    challengeFor?: (request: FastifyRequest, challenge: Challenge) => string;
    /** Largest body of each surface, over all tenants; raised and lowered as they change. */
    bodyCeilings?: BodyCeilings;
  }
}

/** Bodies of everything that is neither A2A nor MCP. */
const OTHER_BODY_BYTES = 64 * 1024;
/** A tenant's document with all its sources. */
const ADMIN_BODY_BYTES = 256 * 1024;
/**
 * Who waits for a response's end: log, span, token, stream place, tool call, and Node's and Fastify's
 * own for a piped body. Node warns of a leak, at every such response, where there are more than 10.
 */
const RESPONSE_LISTENERS = 32;
/** Above what any tenant may be allowed (see LimitsDto). */
const MOST_BODY_BYTES = 16 * 1024 * 1024;
/** An id of 256 bytes, percent-encoded, and `:subscribe`. */
const MAX_PARAM_LENGTH = 1024;

/** How long a client may take, ms; a response may take as long as it likes. */
export interface HttpTimes {
  /** Until a whole request is there. */
  readonly request: number;
  /** Until its headers are. */
  readonly headers: number;
  /** Between two requests of a connection. */
  readonly idle: number;
  /** How often the first two are looked at. */
  readonly look: number;
  /** Until TLS is agreed upon. */
  readonly handshake: number;
  /** How often a renewed certificate is looked for. */
  readonly renew: number;
}

const TIMES: HttpTimes = {
  request: 60_000,
  headers: 20_000,
  // Above the 60 s after which load balancers usually drop an idle connection.
  idle: 72_000,
  look: 5000,
  handshake: 10_000,
  renew: 1000,
};
const UTF8 = /^(?:utf-?8|us-ascii)$/i;
const NOT_UTF8 = 'JSON is read as UTF-8: send charset=utf-8, or no charset';
/** A year, as browsers' lists of such sites want it. */
const STRICT_TRANSPORT = 'max-age=31536000';
const CLOSE_IDLE_EVERY_MS = 100;

/**
 * Fastify as all protocols need it: bodies stay text (each protocol parses its own, strictly),
 * a body limit per surface, request ids, 405 apart from 404, errors of the framework in the
 * caller's protocol, and time-outs that end slow requests but never a response.
 * @throws ConfigError when the files of `listen.tls` cannot be used.
 */
export function createHttpAdapter(
  config: GatewayConfig,
  chosen: Partial<HttpTimes> = {},
): FastifyAdapter {
  const times = { ...TIMES, ...chosen };
  const proxies = new AddressList(config.trustedProxies);
  const tls = config.listen.tls === undefined ? undefined : new ListenerTls(config.listen.tls);
  const server = { headersTimeout: times.headers, connectionsCheckingInterval: times.look };
  const adapter = new FastifyAdapter({
    skipMiddie: true,
    trustProxy: (address: string) => proxies.has(address),
    requestIdHeader: false,
    genReqId: requestIdOf,
    bodyLimit: OTHER_BODY_BYTES,
    requestTimeout: times.request,
    keepAliveTimeout: times.idle,
    ...(tls === undefined
      ? { http: server }
      : { https: { ...server, ...tls.options(times.handshake) } }),
    routerOptions: {
      maxParamLength: MAX_PARAM_LENGTH,
      ignoreTrailingSlash: true,
    },
    frameworkErrors: refuseTarget,
    clientErrorHandler: refuseClient,
  });
  const fastify: FastifyInstance = adapter.getInstance();
  if (fastify.server instanceof TlsServer) tls?.follow(fastify.server, times.renew);
  fastify.decorate('baseUrlOf', (request: FastifyRequest) => baseUrlOf(request, config, proxies));
  fastify.decorate('challengeFor', (request: FastifyRequest, challenge: Challenge) =>
    challengeText(
      challenge,
      { url: routedPathOf(request), baseUrl: baseUrlOf(request, config, proxies) },
      config.auth.oidc,
    ),
  );
  setHeaders(fastify);
  promiseTls(fastify, config);
  guardSites(fastify, config);
  refuseEncoded(fastify);
  refuseOtherFraming(fastify);
  readBodiesAsText(fastify);
  knowRoutes(fastify, config);
  closeIdleWhileClosing(fastify);
  return adapter;
}

/** The caller's X-Request-Id when it is sane: it is echoed and goes into every log line. */
function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const id = request.headers['x-request-id'];
  return typeof id === 'string' && /^[\w.:@/+=-]{1,128}$/.test(id) ? id : randomUUID();
}

function setHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.raw.setMaxListeners(RESPONSE_LISTENERS);
    setCommonHeaders(request, reply);
    done();
  });
}

/**
 * Answers are data of one caller, for programs: nobody may store, frame or guess at them. A route
 * with other needs (the agent card) overrides.
 */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  reply.header('cache-control', 'no-store');
}

/**
 * RFC 6797: browsers then never ask this name in clear again, on any port. So only where TLS ends
 * here, and the name is this gateway's alone: one with a port may be shared with other services.
 */
function promiseTls(fastify: FastifyInstance, { listen, publicUrl }: GatewayConfig): void {
  if (listen.tls === undefined || publicUrl === undefined) return;
  const { protocol, port } = new URL(publicUrl);
  if (protocol !== 'https:' || port !== '') return;
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!isOnManagement(request.raw)) reply.header('strict-transport-security', STRICT_TRANSPORT);
    done();
  });
}

/** Nothing is unpacked here: a few bytes could become gigabytes. */
function refuseEncoded(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? '';
    if (encoding === '' || encoding === 'identity') {
      done(null, payload);
      return;
    }
    // RFC 9110 section 12.5.3: what would be taken.
    reply.header('accept-encoding', 'identity');
    const text = 'Compressed bodies are not accepted: send the body without a Content-Encoding';
    done(new DomainError('MEDIA_TYPE', text), payload);
  });
}

/**
 * Node reads a body by the last of its transfer codings, also in HTTP/1.0, which has none. A server
 * before this one may end it elsewhere, and what follows would be another request (RFC 9112 section
 * 6.1): nothing more is read from such a connection.
 */
function refuseOtherFraming(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, reply, payload, done) => {
    const coding = request.headers['transfer-encoding']?.trim().toLowerCase() ?? '';
    if (coding === '' || (coding === 'chunked' && request.raw.httpVersion !== '1.0')) {
      done(null, payload);
      return;
    }
    reply.header('connection', 'close');
    const refusal = new DomainError('INVALID_REQUEST', 'The only transfer coding is chunked');
    sendError(reply, callerProtocolOf(routedPathOf(request)), toWireError(refusal, reply));
  });
}

function readBodiesAsText(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>(
    ['application/json', 'application/a2a+json'],
    { parseAs: 'buffer' },
    (request, body, done) => {
      const charset = otherCharset(request.headers['content-type']);
      if (charset) done(new DomainError('MEDIA_TYPE', NOT_UTF8), undefined);
      else if (isUtf8(body)) done(null, body.toString('utf8'));
      else done(new DomainError('PARSE_ERROR', 'The body is not valid UTF-8'), undefined);
    },
  );
}

/**
 * JSON has no other encoding (RFC 8259 section 8.1), so a `charset` is not ours to decode: whoever
 * names another one means other text than we would read.
 */
function otherCharset(contentType: string | undefined): boolean {
  const named = (contentType ?? '').matchAll(/;\s*charset\s*=\s*("[^"]*"|[^;]*)/gi);
  return [...named].some(([, name = '']) => !UTF8.test(name.replaceAll('"', '').trim()));
}

/** Must be there before the first route: Nest adds them in `app.init()`. */
function knowRoutes(fastify: FastifyInstance, config: GatewayConfig): void {
  const table = new RouteTable();
  fastify.decorate('routeTable', table);
  holdToCeilings(fastify, config);
  fastify.addHook('onRoute', (route) => {
    table.add(route.url, route.method);
    if (isUnder(route.url, '/a2a') || isUnder(route.url, '/mcp')) route.bodyLimit = MOST_BODY_BYTES;
    else if (isUnder(route.url, '/admin')) route.bodyLimit = ADMIN_BODY_BYTES;
  });
}

/** Bytes of the largest body that a tenant may send on each surface. */
export interface BodyCeilings {
  a2aBodyBytes: number;
  mcpBodyBytes: number;
}

/** The widest of all tenants' limits; a single tenant's own is held to once it is known. */
export function bodyCeilings(tenants: readonly TenantConfig[]): BodyCeilings {
  const widest = (limit: keyof BodyCeilings): number => {
    const limits = tenants.map((tenant) => tenant.limits[limit]);
    return limits.length > 0 ? Math.max(...limits) : DEFAULT_LIMITS[limit];
  };
  return { a2aBodyBytes: widest('a2aBodyBytes'), mcpBodyBytes: widest('mcpBodyBytes') };
}

/**
 * The tenant is known only after the body is read: until then the widest limit counts. A route's own
 * limit is fixed when it is made, but tenants change: a body that says its length is refused by it,
 * and one that does not is counted as it comes.
 */
function holdToCeilings(fastify: FastifyInstance, config: GatewayConfig): void {
  const ceilings = bodyCeilings(config.tenants);
  fastify.decorate('bodyCeilings', ceilings);
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    const path = routedPathOf(request);
    const most = isUnder(path, '/mcp') ? ceilings.mcpBodyBytes : ceilings.a2aBodyBytes;
    const length = request.headers['content-length'];
    if (!isUnder(path, '/mcp') && !isUnder(path, '/a2a')) done(null, payload);
    else if (length !== undefined) done(Number(length) > most ? tooLarge() : null, payload);
    // RFC 9112 section 6.3: without either field there is no body.
    else if (request.headers['transfer-encoding'] === undefined) done(null, payload);
    else done(null, payload.pipe(countedUpTo(most)));
  });
}

function countedUpTo(most: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, next) {
      bytes += chunk.length;
      if (bytes > most) next(tooLarge());
      else next(null, chunk);
    },
  });
}

function tooLarge(): DomainError {
  return new DomainError('TOO_LARGE', 'The body is too large');
}

function isUnder(url: string, root: string): boolean {
  return url === root || url.startsWith(`${root}/`);
}

/**
 * `close()` waits for open responses and then for the keep-alive time of every connection that went
 * idle meanwhile. Closing those as they become idle leaves only the wait that has a reason.
 */
function closeIdleWhileClosing(fastify: FastifyInstance): void {
  fastify.addHook('preClose', (done) => {
    const timer = setInterval(() => {
      fastify.server.closeIdleConnections();
    }, CLOSE_IDLE_EVERY_MS);
    fastify.server.once('close', () => {
      clearInterval(timer);
    });
    timer.unref();
    done();
  });
}

/** A target that the router cannot read (`/%zz`, an endless parameter): no hook or filter runs. */
function refuseTarget(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
  setCommonHeaders(request, reply);
  const refusal = new DomainError('INVALID_REQUEST', 'The URL is malformed');
  sendError(reply, callerProtocolOf(request.url), toWireError(refusal, reply));
}
