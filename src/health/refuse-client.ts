import type { Duplex } from 'node:stream';

const CLIENT_ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
};

/** Not HTTP, or headers too long or too slow: there is no request to answer, only a socket. */
export function refuseClient(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, line] = CLIENT_ERRORS[error.code ?? ''] ?? [400, 'Bad Request'];
  const message = `${line}: the request is not well-formed HTTP`;
  const body = JSON.stringify({ error: { code: status, status: 'INVALID_ARGUMENT', message } });
  socket.end(
    `HTTP/1.1 ${status} ${line}\r\nConnection: close\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
