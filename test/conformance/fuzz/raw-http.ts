import { connect } from 'node:net';

/** A request as it goes out, byte for byte; header names and values may be anything. */
export interface RawRequest {
  readonly method: string;
  /** The request target, as it is. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** What Content-Length says; `chunked` sends chunks instead; undefined: the truth. */
  readonly length?: number | 'chunked' | undefined;
}

export interface RawResponse {
  readonly status: number;
  /** Names in lower case; the last one of a name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The request as text, for a report. */
export function shown({ method, target, headers, body, length }: RawRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${target}`, ...lines, `(length: ${String(length ?? body.length)})`];
  return `${JSON.stringify(head)} ${JSON.stringify(body.toString('latin1').slice(0, 2000))}`;
}

/**
 * Sends it over a connection of its own and reads to the end. Undefined: the server closed without
 * an answer.
 * @throws Error when the connection was neither answered nor closed within `timeoutMs`.
 */
export function sendRaw(
  port: number,
  sent: RawRequest,
  timeoutMs: number,
): Promise<RawResponse | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`no end within ${timeoutMs} ms`));
    }, timeoutMs);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A reset while we still write: what came before it counts.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(timer);
      try {
        resolve(parse(Buffer.concat(chunks), sent.method));
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.write(encode(sent));
    // Only a body that is shorter than it said needs an end; else that would say we are gone.
    if (typeof sent.length === 'number') socket.end();
  });
}

function encode({ method, target, headers, body, length }: RawRequest): Buffer {
  const framing =
    length === 'chunked'
      ? [['transfer-encoding', 'chunked'] as const]
      : body.length > 0 || length !== undefined
        ? [['content-length', String(length ?? body.length)] as const]
        : [];
  const lines = [...headers, ...framing, ['connection', 'close'] as const].map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1');
  if (length !== 'chunked') return Buffer.concat([head, body]);
  const middle = Math.ceil(body.length / 2);
  const pieces = [body.subarray(0, middle), body.subarray(middle)].filter((one) => one.length > 0);
  const framed = pieces.flatMap((one) => [
    Buffer.from(`${one.length.toString(16)}\r\n`),
    one,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([head, ...framed, Buffer.from('0\r\n\r\n')]);
}

/** @throws Error for an answer that is no HTTP. */
function parse(whole: Buffer, method: string): RawResponse | undefined {
  if (whole.length === 0) return undefined;
  const end = whole.indexOf('\r\n\r\n');
  const [first = '', ...lines] = whole.subarray(0, end).toString('latin1').split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1];
  if (end === -1 || status === undefined) throw new Error(`no HTTP: ${first.slice(0, 200)}`);
  if (status === '100') return parse(whole.subarray(end + 4), method);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = headers.get('content-length');
  // What comes after those is the answer to bytes beyond the request.
  const bodiless = method === 'HEAD' || status === '204' || status === '304';
  if (bodiless) return { status: Number(status), headers, body: Buffer.alloc(0) };
  const rest = whole.subarray(end + 4, length === undefined ? undefined : end + 4 + Number(length));
  const chunked = headers.get('transfer-encoding') === 'chunked';
  return { status: Number(status), headers, body: chunked ? unchunk(rest) : rest };
}

function unchunk(rest: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let at = 0; at < rest.length;) {
    const end = rest.indexOf('\r\n', at);
    const size = parseInt(rest.subarray(at, end).toString('latin1'), 16);
    if (end === -1 || Number.isNaN(size) || size === 0) break;
    chunks.push(rest.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(chunks);
}
