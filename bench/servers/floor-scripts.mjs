// The floor with the gateway's own two scripts and all that they write, called through its stores: no
// auth, no checks, no run, no stream. What is between this and the gateway is the gateway's own work.
import Fastify from 'fastify';
import { randomUUID } from 'node:crypto';
import { DEFAULT_LIMITS } from '../../dist/config/limits.js';
import { Keys } from '../../dist/redis/keys.js';
import { RedisConnections } from '../../dist/redis/redis.connections.js';
import { RedisLogStore } from '../../dist/store/redis-log.store.js';
import { RedisTaskStore } from '../../dist/store/redis-task.store.js';
import { TaskKeys } from '../../dist/store/task-ref.js';

const limits = { ...DEFAULT_LIMITS, activePerUser: 100000, activePerTenant: 100000 };
const redis = new RedisConnections({ redis: { url: process.env.REDIS_URL } });
const allKeys = new Keys();
const tasks = new RedisTaskStore(redis, allKeys);
const log = new RedisLogStore(redis);
const app = Fastify({ logger: false });
app.post('/a2a/v1', async (request) => {
  const { id, params } = request.body;
  const [taskId, contextId] = [randomUUID(), randomUUID()];
  const { message } = params;
  const { messageId } = message;
  const keys = new TaskKeys(allKeys, {
    tenant: 'floor',
    user: 'floor',
    taskId,
    contextId,
    messageId,
  });
  const ids = { taskId, contextId };
  const ts = Date.now();
  const timestamp = new Date(ts).toISOString();
  const history = [{ ...message, ...ids }];
  const metadata = { 'n9e.chat_id': contextId };
  const created = await tasks.create({
    keys,
    owner: 'floor',
    task: {
      id: taskId,
      contextId,
      status: { state: 'TASK_STATE_SUBMITTED', timestamp },
      history,
      metadata,
    },
    ts,
    fingerprint: 'f'.repeat(43),
    call: JSON.stringify({
      ctx: { tenant: 'floor', user: 'floor' },
      message,
      metadata: {},
      leg: 1,
    }),
    whenBusy: 'reject',
    generation: 0,
    token: '',
    limits,
  });
  const status = { state: 'TASK_STATE_COMPLETED', timestamp };
  const answer = { artifactId: '1-answer', name: 'answer', parts: [{ text: 'hello' }] };
  const result = {
    artifactId: '1-result',
    parts: [{ data: { session: contextId, answer: 'hello' } }],
  };
  const task = { id: taskId, contextId, status, metadata, artifacts: [answer, result], history };
  const working = { state: 'TASK_STATE_WORKING', timestamp };
  const settled = await log.settle({
    keys,
    epoch: 1,
    expected: 1,
    state: status.state,
    ts,
    task,
    events: [
      { statusUpdate: { ...ids, status: working } },
      { artifactUpdate: { ...ids, artifact: answer, append: false } },
      { artifactUpdate: { ...ids, artifact: result, append: false } },
      { statusUpdate: { ...ids, status } },
    ].map((event) => JSON.stringify(event)),
    turn: JSON.stringify({ turn: created.turn, user: 'hi', assistant: 'hello' }),
    expects: '',
    parkMs: 0,
    limits,
  });
  if (!settled.ok) throw new Error(`settle: ${settled.code}`);
  return { jsonrpc: '2.0', id, result: { task } };
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.stdout.write('peer is ready\n');
