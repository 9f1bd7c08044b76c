import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HookServer } from '../support/hook-server.js';
import { within } from '../support/wait.js';
import './proofs/index.js';
import { proofs } from './support/registry.js';
import { World } from './support/world.js';

/** A proof that waits for something gives it up after so long. */
const PATIENCE_MS = 150;

const ALL = proofs().map((proof, index) => ({ ...proof, index }));

let hook: HookServer;
beforeAll(async () => {
  hook = await HookServer.start();
});
afterAll(async () => {
  await hook.stop();
});

/** Answers everything alike. */
async function nullServer(status: number): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

// A proof that a server passes which does nothing proves nothing.
describe.each([200, 404])('a server that answers %d {} to everything', (status) => {
  let server: Server;
  let base: string;
  beforeAll(async () => {
    server = await nullServer(status);
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it.each(ALL)('should fail $id over $cell', async ({ cell, index, run }) => {
    const site = { a: base, b: base, management: base, named: base, plain: base, off: base };
    const world = new World(cell, site, hook, index, PATIENCE_MS);
    const outcome = run(world).then(
      () => 'passed',
      () => 'failed',
    );
    expect(await within('the proof', 20 * PATIENCE_MS, outcome)).toBe('failed');
  });
});
