import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes each request to the next of several ports, as a proxy before a fleet does. */
export class Balancer {
  /** Set once the fleet is there. */
  ports: readonly number[] = [];
  private next = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (incoming, outgoing) => {
      this.next += 1;
      const passed = request(
        {
          host: '127.0.0.1',
          port: this.ports[this.next % this.ports.length],
          method: incoming.method,
          path: incoming.url,
          headers: incoming.headers,
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
          answer.once('error', () => outgoing.destroy());
        },
      );
      passed.once('error', () => outgoing.destroy());
      outgoing.once('close', () => passed.destroy());
      incoming.pipe(passed);
    });
  }

  static async start(): Promise<Balancer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Balancer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
