import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Server as TlsServer } from 'node:tls';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../../config/config.types.js';
import { AddressList } from '../../domain/address-list.js';
import { type Challenge, DomainError } from '../../domain/errors.js';
import { refuseClient } from '../../health/refuse-client.js';
import { baseUrlOf } from './base-url.js';
import { holdToCeilings, OTHER_BODY_BYTES } from './body-ceilings.js';
import { readBodiesAsText } from './body-text.js';
import { callerProtocolOf, routedPathOf } from './caller-protocol.js';
import { challengeText } from './challenge.js';
import { ListenerTls } from './listener-tls.js';
import { setCommonHeaders, setHeaders } from './response-headers.js';
import { RouteTable } from './route-table.js';
import { sendError, toWireError } from './send-error.js';
import { guardSites } from './site-guard.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Set by createHttpAdapter. */
    routeTable?: RouteTable;
    /** Under which URL a caller reaches the gateway; see baseUrlOf. Set by createHttpAdapter. */
    baseUrlOf?: (request: FastifyRequest) => string;
    /** What WWW-Authenticate says to a refused request. Set by createHttpAdapter. */
    challengeFor?: (request: FastifyRequest, challenge: Challenge) => string;
  }
}

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
  setHeaders(fastify, config);
  guardSites(fastify, config);
  readBodiesAsText(fastify);
  holdToCeilings(fastify, config);
  knowRoutes(fastify);
  closeIdleWhileClosing(fastify);
  return adapter;
}

/** The caller's X-Request-Id when it is sane: it is echoed and goes into every log line. */
function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const id = request.headers['x-request-id'];
  return typeof id === 'string' && /^[\w.:@/+=-]{1,128}$/.test(id) ? id : randomUUID();
}

/** Must be there before the first route: Nest adds them in `app.init()`. */
function knowRoutes(fastify: FastifyInstance): void {
  const table = new RouteTable();
  fastify.decorate('routeTable', table);
  fastify.addHook('onRoute', (route) => {
    table.add(route.url, route.method);
  });
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
