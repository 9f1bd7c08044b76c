import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { DomainError } from '../../domain/errors.js';
import { callerProtocolOf, routedPathOf } from './caller-protocol.js';
import { sendError, toWireError } from './send-error.js';

const UTF8 = /^(?:utf-?8|us-ascii)$/i;
const NOT_UTF8 = 'JSON is read as UTF-8: send charset=utf-8, or no charset';

/**
 * JSON bodies stay text: each protocol parses its own, strictly. One that is packed, framed or encoded
 * in another way than ours is refused before it is read.
 */
export function readBodiesAsText(fastify: FastifyInstance): void {
  refuseEncoded(fastify);
  refuseOtherFraming(fastify);
  parseAsText(fastify);
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

function parseAsText(fastify: FastifyInstance): void {
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
