import { sendRequest, startGateway, TOKEN, verifyTask } from '../lib/gateway.mjs';
import { load } from '../lib/load.mjs';
import { startRedis } from '../lib/process.mjs';

const STEPS = [100, 1000, 10_000, 100_000];
const READS = 600;

/** P9: a page of ListTasks must not cost more when its user has stored 100,000 tasks. */
export async function run() {
  const redis = await startRedis();
  const { origin } = await startGateway(redis.url, {
    limits: { retainedTasksPerUser: 1_000_000, retainedBytesPerUser: 2 ** 34 },
  });
  const raw = [];
  let stored = 0;
  for (const step of STEPS) {
    await load({
      origin,
      total: step - stored,
      connections: 64,
      request: (index) => sendRequest(index, 'hi'),
      verify: (answer, index) => verifyTask(answer, index, 'hello'),
    });
    stored = step;
    const figures = await load({
      origin,
      total: READS,
      connections: 4,
      request: () => ({
        method: 'GET',
        path: '/a2a/tasks?pageSize=50',
        headers: { authorization: `Bearer ${TOKEN}` },
      }),
      verify: (answer) => {
        if (answer.totalSize !== step) return `${answer.totalSize} in all, not ${step}`;
        return answer.tasks.length === 50 ? undefined : 'not 50 tasks';
      },
    });
    raw.push({ stored: step, p50: figures.p50, p99: figures.p99 });
  }
  const page = (n) => raw.find(({ stored: at }) => at === n).p50;
  return [
    {
      id: 'P9',
      figure: 'a page of ListTasks with 100,000 stored / with 1,000',
      value: page(100_000) / page(1000),
      target: 1.5,
      better: 'less',
      raw,
      growth: {
        of: 'a page of ListTasks with so many stored, ms',
        points: Object.fromEntries(raw.map(({ stored: tasks, p50 }) => [tasks, p50])),
      },
    },
    {
      id: 'P9',
      figure: 'the page with 100,000 stored, ms (p50 of 4)',
      value: page(100_000),
      better: 'less',
    },
  ];
}
