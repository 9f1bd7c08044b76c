import { Pool } from 'undici';
import { sendRequest, startGateway, tokenOf, verifyTask } from '../lib/gateway.mjs';
import { interleave, load } from '../lib/load.mjs';
import { startRedis } from '../lib/process.mjs';

const ROUNDS = 5;
const TOTAL = 600;
/** Sends a second that the noisy tenant offers, whatever becomes of them. */
const NOISE = 400;
const TICK_MS = 10;

/**
 * F1: what a tenant that floods costs its neighbour. The quiet tenant sends over four connections;
 * the noisy one offers 400 sends a second to both instances, held to one a second, or not at all.
 * Latencies of the quiet one as ratios of those when it is alone. Load, gateways and Redis share
 * this machine's cores, so a part of the ratio is the noise's own making.
 */
export async function run() {
  const redis = await startRedis();
  const neighbours = {
    held: { requestsPerMinutePerTenant: 60, requestBurstPerTenant: 10 },
    free: {},
  };
  const gateways = [
    await startGateway(redis.url, { neighbours }),
    await startGateway(redis.url, { neighbours }),
  ];
  const refused = { held: [], free: [] };
  const p99 = { alone: [], held: [], free: [] };
  const { medians, raw } = await interleave(
    ROUNDS,
    { alone: undefined, held: 'held', free: 'free' },
    async (tenant, round) => {
      const noise = tenant && flood(gateways, tenant);
      const figures = await load({
        origin: gateways[0].origin,
        total: TOTAL,
        connections: 4,
        request: (index) => sendRequest(index, 'hi'),
        verify: (answer, index) => verifyTask(answer, index, 'hello'),
      });
      const share = await noise?.end();
      if (round > 0) {
        if (tenant) refused[tenant].push(share);
        p99[tenant ?? 'alone'].push(figures.p99);
      }
      return figures.p50;
    },
  );
  const middle = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
  return [
    {
      id: 'F1',
      figure: 'quiet tenant’s p50 beside a flood that is held to its rate / alone',
      value: medians.held / medians.alone,
      target: 1.5,
      better: 'less',
      raw: { p50: raw, p99, refused },
    },
    {
      id: 'F1',
      figure: '… its p99 / alone',
      value: middle(p99.held) / middle(p99.alone),
    },
    {
      id: 'F1',
      figure: '… its p50 beside the same flood without a limit / alone',
      value: medians.free / medians.alone,
    },
    {
      id: 'F1',
      figure: 'share of the flood that was refused, with a limit',
      value: middle(refused.held),
      target: 0.95,
      better: 'more',
    },
  ];
}

/** Sends at a fixed pace until it is ended. @returns the share of what was refused with 429. */
function flood(gateways, tenant) {
  const pools = gateways.map(({ origin }) => new Pool(origin, { connections: 32, pipelining: 1 }));
  const open = new Set();
  let sent = 0;
  let refused = 0;
  const timer = setInterval(() => {
    for (let i = 0; i < (NOISE * TICK_MS) / 1000; i += 1) {
      sent += 1;
      const call = pools[sent % pools.length]
        .request(sendRequest(sent, 'hi', '/a2a/v1', tokenOf(tenant)))
        .then(async ({ statusCode, body }) => {
          await body.dump();
          if (statusCode === 429) refused += 1;
          else if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
        })
        .finally(() => open.delete(call));
      open.add(call);
    }
  }, TICK_MS);
  return {
    end: async () => {
      clearInterval(timer);
      await Promise.all(open);
      await Promise.all(pools.map((pool) => pool.close()));
      return refused / sent;
    },
  };
}
