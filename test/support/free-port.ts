import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

const given = new Set<number>();

/**
 * A loopback port that nobody listens on now, below the range from which the kernel takes the ports
 * of outgoing connections, and never twice in this process.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (given.has(port)) continue;
    const server = createServer();
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    const { port: bound } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    given.add(bound);
    return bound;
  }
  throw new Error('no free loopback port found');
}
