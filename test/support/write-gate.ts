import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/**
 * Where a write is on its way: it has come here; the real server has answered, which nobody knows
 * yet; the answer is on its way back.
 */
export type WriteStage = 'before' | 'during' | 'after';

/** Stands before a real HTTP service and lets a test act at each stage of a write (not of a GET). */
export class WriteGate {
  /** Awaited at each stage of each write, with its body; 'drop' ends the connection. */
  onWrite: (stage: WriteStage, body: string) => Promise<'drop' | undefined> | 'drop' | undefined =
    () => undefined;

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.pass(request, response).catch(() => response.destroy());
    });
  }

  static async start(target: string): Promise<WriteGate> {
    const server = createServer();
    const gate = new WriteGate(server, target);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return gate;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isWrite = request.method !== 'GET';
    const written = Buffer.concat(chunks).toString();
    if (isWrite && (await this.onWrite('before', written)) === 'drop') {
      return void response.destroy();
    }
    const answer = await fetch(this.target + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json', ...tokenOf(request) },
      ...(chunks.length === 0 ? {} : { body: written }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (isWrite && (await this.onWrite('during', written)) === 'drop') {
      return void response.destroy();
    }
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
    });
    response.end(body);
    if (isWrite) await this.onWrite('after', written);
  }
}

function tokenOf({ headers }: IncomingMessage): Record<string, string> {
  const token = headers['x-user-token'];
  return typeof token === 'string' ? { 'x-user-token': token } : {};
}
