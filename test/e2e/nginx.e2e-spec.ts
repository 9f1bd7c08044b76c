import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { HookServer } from '../support/hook-server.js';
import { Nginx } from '../support/nginx.js';
import { type Peer, PEERS } from '../support/nginx-peers.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually } from '../support/wait.js';

/** How long the streams are silent: one second here, 90 by `make nginx-test`. */
const SILENCE_MS = Number(process.env['NGINX_SILENCE_SECONDS'] ?? 1) * 1000;
const ann = caller('acme', 'ann');

let redis: RedisServer;
let fleet: Fleet;
let nginx: Nginx;
let hooks: HookServer;

beforeAll(async () => {
  redis = await RedisServer.start();
  hooks = await HookServer.start();
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }],
    callers: [ann],
    env: { PUSH_KEY: randomBytes(32).toString('hex') },
    config: {
      push: {
        ...{ enabled: true, encryptionKey: { env: 'PUSH_KEY' } },
        ...{ allowHttp: true, allowPrivate: ['127.0.0.1'], pollMs: 200 },
      },
    },
  });
  nginx = await Nginx.start(fleet.gateways as [Gateway, Gateway]);
});
afterAll(async () => {
  await nginx.stop();
  await fleet.stop();
  await hooks.stop();
  await redis.stop();
});

describe('nginx in front of two gateways', () => {
  it('should send the requests of one client to both', async () => {
    const answered = async ({ managementUrl }: Gateway): Promise<number> => {
      const text = await (await fetch(`${managementUrl}/metrics`)).text();
      const counts = text.matchAll(/^nightjar_requests_total\{surface="a2a-rest",.*\} (\d+)$/gm);
      return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const client = new A2aClient(nginx.url, ann.token);
    const { id } = await client.send('instant');
    for (let n = 0; n < 10; n += 1) await client.get(id);
    for (const gateway of fleet.gateways) expect(await answered(gateway)).toBeGreaterThan(2);
  });
});

describe.each(Object.entries(PEERS))('%s through nginx', (_name, connect) => {
  let peer: Peer;
  beforeAll(async () => {
    peer = await connect(nginx.url, ann.token);
  });

  it('should send, and get the whole answer', async () => {
    const { id, state } = await peer.send('deltas count=5 every=20');
    expect(state).toBe('completed');
    const { artifacts = [] } = await new A2aClient(nginx.url, ann.token).get(id);
    const texts = artifacts.flatMap(({ parts }) => parts.map(({ text = '' }) => text));
    expect(texts.join('')).toContain('1.1 1.2 1.3 1.4 1.5 ');
  });

  it(`should stream through ${SILENCE_MS / 1000} s of silence`, async () => {
    const started = performance.now();
    const states = await peer.stream(`deltas count=1 every=${SILENCE_MS}`);
    expect(performance.now() - started).toBeGreaterThan(SILENCE_MS);
    expect(states).toEqual(['submitted', 'working', 'completed']);
  });

  it('should subscribe to a task, on whichever gateway, and cancel it', async () => {
    const id = await peer.start('hang');
    const followers = Promise.all([peer.subscribe(id), peer.subscribe(id)]);
    const open = async (): Promise<number> => {
      const texts = await Promise.all(
        fleet.gateways.map(async ({ managementUrl }) =>
          (await fetch(`${managementUrl}/metrics`)).text(),
        ),
      );
      return texts.reduce(
        (sum, text) => sum + Number(/^nightjar_open_streams (\d+)$/m.exec(text)?.[1] ?? 0),
        0,
      );
    };
    await eventually('both read', async () => (await open()) === 2, 30_000, 100);
    expect(await peer.cancel(id)).toBe('canceled');
    for (const states of await followers) expect(states.at(-1)).toBe('canceled');
  });
});

describe.each(Object.entries(PEERS))('%s through nginx, with a webhook', (_name, connect) => {
  it('should have it told to the end', async () => {
    const peer = await connect(nginx.url, ann.token);
    const path = `/${randomBytes(4).toString('hex')}`;
    const id = await peer.start('deltas count=20 every=100');
    await peer.hook(id, hooks.url(path));
    await hooks.until(
      'it hears of the end',
      (accepted) => /completed/i.test(accepted.at(-1)?.text ?? ''),
      path,
      30_000,
    );
  });
});
