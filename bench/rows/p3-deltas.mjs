import { request as once } from 'undici';
import { sendRequest, startGateway } from '../lib/gateway.mjs';
import { interleave } from '../lib/load.mjs';
import { startRedis } from '../lib/process.mjs';

const STEPS = [2, 10, 100, 1000, 10_000];

/** P3: the cost of a delta must not grow with the answer: 10,000 against 1,000. */
export async function run() {
  const redis = await startRedis();
  const { origin } = await startGateway(redis.url);
  const answers = Object.fromEntries(STEPS.map((deltas) => [deltas, deltas]));
  const { raw, medians } = await interleave(5, answers, async (deltas) => {
    const { path, ...options } = sendRequest(1, JSON.stringify({ deltas }));
    const began = performance.now();
    const { body } = await once(origin + path, options);
    const { result } = await body.json();
    const ms = performance.now() - began;
    const answer = result.task.artifacts.find((artifact) => artifact.name === 'answer');
    const text = answer.parts.map((part) => part.text).join('');
    const expected = Array.from(
      { length: deltas },
      (_, i) => `delta ${String(i).padStart(6, '0')} `,
    );
    if (text !== expected.join('')) throw new Error('the answer is not what was streamed');
    return ms;
  });
  return [
    {
      id: 'P3',
      figure: 'time of 10,000 deltas / 1,000 deltas',
      value: medians[10_000] / medians[1000],
      target: 11,
      better: 'less',
      raw,
      growth: { of: 'an answer of so many deltas, ms', points: medians },
    },
  ];
}
