import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notesOf } from '../../metrics/request-notes.js';
import { setRequestSpan } from '../../tracing/request-span.js';
import { type Span, startSpan } from '../../tracing/tracing.js';
import { pathOf } from './caller-protocol.js';

const PROBES = new Set(['/livez', '/readyz', '/metrics']);

/**
 * A span for every request but probes, from its head to the end of its response, under the caller's
 * `traceparent` when there is one. Named by route: a path of the caller's making is in no span.
 */
export function traceRequests(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (!PROBES.has(pathOf(request.url))) begin(request, reply);
    done();
  });
}

function begin(request: FastifyRequest, reply: FastifyReply): void {
  const route = request.routeOptions.url;
  const { traceparent, tracestate } = request.headers;
  const span = startSpan(`${request.method} ${route ?? 'unrouted'}`, {
    kind: 'server',
    parent: {
      traceparent: typeof traceparent === 'string' ? traceparent : '',
      ...(typeof tracestate === 'string' ? { tracestate } : {}),
    },
    facts: {
      'http.request.method': request.method,
      'http.route': route,
      'url.scheme': request.protocol,
    },
  });
  setRequestSpan(request.raw, span);
  reply.raw.on('close', () => {
    end(span, request, reply);
  });
}

function end(span: Span, request: FastifyRequest, reply: FastifyReply): void {
  const { surface, method, tenant, taskId } = notesOf(request.raw);
  const { headersSent, statusCode, writableFinished } = reply.raw;
  span.set({
    ...(headersSent ? { 'http.response.status_code': statusCode } : {}),
    'nightjar.surface': surface,
    'nightjar.operation': method,
    'nightjar.tenant': tenant,
    'nightjar.task_id': taskId,
    ...(writableFinished ? {} : { 'nightjar.aborted': true }),
  });
  if (headersSent && statusCode >= 500) span.fail(String(statusCode));
  span.end();
}
