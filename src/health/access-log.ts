import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { metrics } from '../metrics/metrics.js';
import { notesOf } from '../metrics/request-notes.js';
import { traceIdField } from '../tracing/request-span.js';

/** nginx's number for "the client went away before the response had begun". */
const CLIENT_GONE = 499;
const PROBES = new Set(['/livez', '/readyz', '/metrics']);

/**
 * One line and one count for every request, when its response is over. Hangs on the close of the
 * raw response: after a client's abort Fastify runs no onResponse hook.
 */
export function logRequests(fastify: FastifyInstance): void {
  const logger = new Logger('Access');
  fastify.addHook('onRequest', (request, reply, done) => {
    const began = performance.now();
    reply.raw.on('close', () => {
      finish(logger, request, reply, performance.now() - began);
    });
    done();
  });
}

function finish(logger: Logger, request: FastifyRequest, reply: FastifyReply, ms: number): void {
  const { surface: noted, method: operation, ...ids } = notesOf(request.raw);
  const path = request.url.split('?')[0] ?? '';
  const route = request.routeOptions.url;
  const surface = noted ?? surfaceOf(path);
  // Labels must be few: a path of the caller's making is none.
  const method = operation ?? (route === undefined ? 'unrouted' : `${request.method} ${route}`);
  const status = reply.raw.headersSent ? reply.raw.statusCode : CLIENT_GONE;
  measure(surface, method, status, ms / 1000);
  const line = {
    msg: 'request',
    requestId: request.id,
    http: request.method,
    path,
    status,
    ms: Math.round(ms * 10) / 10,
    // Of the client, not of a proxy, as far as trustedProxies goes.
    client: request.ip,
    ...traceIdField(request.raw),
    surface,
    ...(operation === undefined ? {} : { method: operation }),
    ...ids,
    ...(reply.raw.writableFinished ? {} : { aborted: true }),
  };
  if (PROBES.has(path)) logger.debug(line);
  else logger.log(line);
}

/** Of each surface, method and status: prom-client sorts and joins the labels of every call. */
const meters = new Map<string, (seconds: number) => void>();

function measure(surface: string, method: string, status: number, seconds: number): void {
  const name = `${status} ${surface} ${method}`;
  let meter = meters.get(name);
  if (meter === undefined) {
    const requests = metrics.requests.labels(surface, method, String(status));
    const times = metrics.requestSeconds.labels(surface, method);
    meter = (took) => {
      requests.inc();
      times.observe(took);
    };
    meters.set(name, meter);
  }
  meter(seconds);
}

/** Used where no protocol has named the surface, e.g. for a refused token. */
export function surfaceOf(path: string): string {
  if (path === '/mcp' || path.startsWith('/mcp/')) return 'mcp';
  if (path.startsWith('/.well-known/')) return 'card';
  if (path === '/a2a' || path.startsWith('/a2a/')) return 'a2a';
  return PROBES.has(path) ? 'probe' : 'other';
}
