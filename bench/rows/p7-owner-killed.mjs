import { startGateway } from '../lib/gateway.mjs';
import { median } from '../lib/load.mjs';
import { startRedis, stop } from '../lib/process.mjs';
import { startRun, subscribe } from '../lib/streams.mjs';

const ROUNDS = 3;
const LEASE_S = 8;

/** P7: seconds from SIGKILL of the owner to the next event that a subscriber elsewhere sees. */
export async function run() {
  const redis = await startRedis();
  const survivor = await startGateway(redis.url);
  const raw = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const owner = await startGateway(redis.url);
    const taskId = await startRun(owner.origin, { deltas: 400, pauseMs: 100 });
    let next;
    const socket = await subscribe(survivor.origin, taskId, (text) => {
      if (text.includes('"append":false')) next?.();
    });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const again = new Promise((resolve) => {
      next = resolve;
    });
    await stop(owner.child);
    const killed = performance.now();
    await Promise.race([
      again,
      new Promise((_, reject) => {
        setTimeout(() => reject(new Error('not taken over within 30 s')), 30_000).unref();
      }),
    ]);
    raw.push((performance.now() - killed) / 1000);
    socket.removeAllListeners('close').destroy();
  }
  return [
    {
      id: 'P7',
      figure: 's from the owner’s death to the next event elsewhere',
      value: median(raw),
      target: LEASE_S + 2,
      better: 'less',
      raw,
    },
  ];
}
