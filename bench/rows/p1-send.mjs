import { sendRequest, startGateway, verifyTask } from '../lib/gateway.mjs';
import { interleave, load } from '../lib/load.mjs';
import { startPeer } from '../lib/peers.mjs';
import { startRedis } from '../lib/process.mjs';

const ROUNDS = 5;
const TOTAL = 3000;

/** P1: blocking send with an instant backend; auth, quota and real Redis on for Nightjar. */
export async function run() {
  const redis = await startRedis();
  const contestants = {
    nightjar: await startGateway(redis.url),
    sdkMemory: await startPeer('sdk-express.mjs', { STORE: 'memory' }),
    sdkRedis: await startPeer('sdk-express.mjs', { STORE: 'redis', REDIS_URL: redis.url }),
    floor: await startPeer('floor.mjs', { REDIS_URL: redis.url }),
    scripts: await startPeer('floor-scripts.mjs', { REDIS_URL: redis.url }),
  };
  const { raw, medians } = await interleave(ROUNDS, contestants, async ({ origin }) => {
    const figures = await load({
      origin,
      total: TOTAL,
      connections: 32,
      request: (index) => sendRequest(index, 'hi'),
      verify: (answer, index) => verifyTask(answer, index, 'hello'),
    });
    return figures.rate;
  });
  const { nightjar, sdkMemory, sdkRedis, floor, scripts } = medians;
  return [
    {
      id: 'P1',
      figure: 'blocking send / SDK Express in memory',
      value: nightjar / sdkMemory,
      target: 3,
      better: 'more',
      raw,
    },
    {
      id: 'P1',
      figure: 'blocking send / SDK Express on Redis',
      value: nightjar / sdkRedis,
      target: undefined,
      better: 'more',
    },
    {
      id: 'P1',
      figure: 'blocking send / bare Fastify + 2 Lua calls',
      value: nightjar / floor,
      target: 0.5,
      better: 'more',
    },
    {
      id: 'P1',
      figure: 'blocking send / bare Fastify + our two scripts',
      value: nightjar / scripts,
      target: undefined,
      better: 'more',
    },
    {
      id: 'P1',
      figure: 'bare Fastify + our two scripts / bare Fastify + 2 Lua calls',
      value: scripts / floor,
      target: undefined,
      better: 'more',
    },
    {
      id: 'P1',
      figure: 'blocking send, requests/s',
      value: nightjar,
      target: undefined,
      better: 'more',
    },
  ];
}
