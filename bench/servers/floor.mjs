// The floor: a bare Fastify route with two Lua calls (one create, one finish) or one HMGET, no
// checks, no auth, no tasks: what HTTP, JSON and Redis cost alone.
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';

const redis = new Redis(process.env.REDIS_URL, { enableAutoPipelining: false });
redis.defineCommand('begin', {
  numberOfKeys: 1,
  lua: "redis.call('HSET', KEYS[1], 'state', 1, 'doc', ARGV[1]) redis.call('PEXPIRE', KEYS[1], 86400000) return 1",
});
redis.defineCommand('finish', {
  numberOfKeys: 1,
  lua: "redis.call('HSET', KEYS[1], 'state', 3, 'doc', ARGV[1]) redis.call('PUBLISH', KEYS[1], ARGV[1]) return 1",
});
const app = Fastify({ logger: false });
app.post('/a2a/v1', async (request) => {
  const { id, method, params } = request.body;
  if (method === 'GetTask') {
    const [doc] = await redis.hmget(`floor:${params.id}`, 'doc', 'state', 'user');
    return { jsonrpc: '2.0', id, result: JSON.parse(doc) };
  }
  const taskId = randomUUID();
  const task = {
    id: taskId,
    contextId: randomUUID(),
    status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() },
    artifacts: [{ artifactId: 'a', parts: [{ text: 'hello' }] }],
    history: [params.message],
  };
  await redis.begin(`floor:${taskId}`, JSON.stringify(task));
  await redis.finish(`floor:${taskId}`, JSON.stringify(task));
  return { jsonrpc: '2.0', id, result: { task } };
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
process.stdout.write('peer is ready\n');
