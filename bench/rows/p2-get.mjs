import { request as once } from 'undici';
import { sendRequest, startGateway, TOKEN } from '../lib/gateway.mjs';
import { interleave, load } from '../lib/load.mjs';
import { startPeer } from '../lib/peers.mjs';
import { startRedis } from '../lib/process.mjs';

const ROUNDS = 5;
const TOTAL = 5000;

/** P2: tasks/get of a finished task against a bare route with one HMGET of the same document. */
export async function run() {
  const redis = await startRedis();
  const contestants = {
    nightjar: await startGateway(redis.url),
    floor: await startPeer('floor.mjs', { REDIS_URL: redis.url }),
  };
  const ids = new Map();
  for (const contestant of Object.values(contestants)) {
    const { path, ...options } = sendRequest(1, 'hi');
    const { body } = await once(contestant.origin + path, options);
    ids.set(contestant, (await body.json()).result.task.id);
  }
  const { raw, medians } = await interleave(ROUNDS, contestants, async (contestant) => {
    const id = ids.get(contestant);
    const figures = await load({
      origin: contestant.origin,
      total: TOTAL,
      connections: 32,
      request: (index) => ({
        method: 'POST',
        path: '/a2a/v1',
        headers: {
          'content-type': 'application/json',
          'a2a-version': '1.0',
          authorization: `Bearer ${TOKEN}`,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: index, method: 'GetTask', params: { id } }),
      }),
      verify: (answer) => (answer.result?.id === id ? undefined : 'another task'),
    });
    return figures.rate;
  });
  return [
    {
      id: 'P2',
      figure: 'GetTask / bare Fastify + HMGET',
      value: medians.nightjar / medians.floor,
      target: 0.7,
      better: 'more',
      raw,
    },
    {
      id: 'P2',
      figure: 'GetTask, requests/s',
      value: medians.nightjar,
      target: undefined,
      better: 'more',
    },
  ];
}
