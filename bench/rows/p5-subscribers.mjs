import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../lib/gateway.mjs';
import { startRedis } from '../lib/process.mjs';
import { startRun, subscribe } from '../lib/streams.mjs';

const SUBSCRIBERS = 1000;
const DELTAS = 60;
const PAUSE_MS = 250;

/**
 * P5: 1,000 subscribers of one task over two instances: from the backend's `yield` to the
 * subscriber's socket. Each delta carries the time it was made at; one machine, one clock.
 */
export async function run() {
  const redis = await startRedis();
  const instances = [await startGateway(redis.url), await startGateway(redis.url)];
  const dir = await mkdtemp(join(tmpdir(), 'nightjar-bench-'));
  const afterFile = join(dir, 'go');
  const taskId = await startRun(instances[0].origin, {
    deltas: DELTAS,
    pauseMs: PAUSE_MS,
    stamped: true,
    afterFile,
  });
  const late = [];
  const seen = [];
  const sockets = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, (_, i) => {
      seen[i] = 0;
      let rest = '';
      return subscribe(instances[i % 2].origin, taskId, (text) => {
        const now = performance.timeOrigin + performance.now();
        // A chunk may end anywhere; what stands behind its last line break waits for the next.
        const whole = rest + text;
        const end = whole.lastIndexOf('\n') + 1;
        rest = whole.slice(end);
        for (const line of whole.slice(0, end).split('\n')) {
          // The answer stands once more in the closing `result`; only its deltas count.
          if (!/"artifactId":"[^"]*-answer"/.test(line)) continue;
          for (const [, at] of line.matchAll(/made (\d+\.\d+) /g)) {
            late.push(now - Number(at));
            seen[i] += 1;
          }
        }
      });
    }),
  );
  const ended = Promise.all(
    sockets.map((socket) => new Promise((resolve) => socket.once('end', resolve).resume())),
  );
  await writeFile(afterFile, '');
  await ended;
  await rm(dir, { recursive: true });
  const short = seen.filter((n) => n !== DELTAS).length;
  if (short > 0) throw new Error(`${short} subscribers did not get all ${DELTAS} deltas`);
  late.sort((a, b) => a - b);
  const at = (share) => late[Math.floor(late.length * share)];
  return [
    {
      id: 'P5',
      figure: 'ms from delta to 1,000 subscribers on two instances, p99',
      value: at(0.99),
      target: 30,
      better: 'less',
      raw: { p50: at(0.5), p90: at(0.9), p99: at(0.99), most: late.at(-1), events: late.length },
    },
    { id: 'P5', figure: 'the same, p50', value: at(0.5), better: 'less' },
  ];
}
