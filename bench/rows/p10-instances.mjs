import { sendRequest, startGateway, verifyTask } from '../lib/gateway.mjs';
import { interleave, load } from '../lib/load.mjs';
import { startRedis } from '../lib/process.mjs';

const COUNTS = [1, 2, 3];
const TOTAL = 3000;

/**
 * P10: blocking sends over one, two and three instances. No target: instances, Redis and the load
 * share this machine's cores, so this shows what an instance more costs there, not what it brings
 * on a machine of its own.
 */
export async function run() {
  const redis = await startRedis();
  const instances = [];
  for (const _ of COUNTS) instances.push(await startGateway(redis.url));
  const { medians, raw } = await interleave(
    5,
    Object.fromEntries(COUNTS.map((n) => [n, instances.slice(0, n)])),
    async (used) => {
      const figures = await Promise.all(
        used.map(({ origin }) =>
          load({
            origin,
            total: Math.floor(TOTAL / used.length),
            connections: Math.floor(48 / used.length),
            request: (index) => sendRequest(index, 'hi'),
            verify: (answer, index) => verifyTask(answer, index, 'hello'),
          }),
        ),
      );
      return figures.reduce((sum, { rate }) => sum + rate, 0);
    },
  );
  return COUNTS.map((n) => ({
    id: 'P10',
    figure: `blocking sends/s over ${n} instance${n === 1 ? '' : 's'}`,
    value: medians[n],
    better: 'more',
    ...(n === 1
      ? { raw, growth: { of: 'blocking sends/s over so many instances', points: medians } }
      : {}),
  }));
}
