// A peer: the A2A SDK's Express server with its own request handler, and its in-memory store or a
// plain Redis store (one GET and one SET of the whole task, which its interface asks for).
import { Task } from '@a2a-js/sdk';
import { AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { jsonRpcHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';

const port = Number(process.env.PORT);
const card = AgentCard.fromJSON({
  name: 'peer',
  description: 'peer',
  version: '1',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  supportedInterfaces: [
    { url: `http://127.0.0.1:${port}/a2a/v1`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
  ],
});

class RedisTaskStore {
  redis = new Redis(process.env.REDIS_URL, { enableAutoPipelining: false });
  async save(task) {
    await this.redis.set(`peer:${task.id}`, JSON.stringify(Task.toJSON(task)), 'EX', 86400);
  }
  async load(id) {
    const text = await this.redis.get(`peer:${id}`);
    return text === null ? undefined : Task.fromJSON(JSON.parse(text));
  }
  async list() {
    throw new Error('not benched');
  }
}

const executor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const at = () => new Date().toISOString();
    bus.publish({
      kind: 'task',
      data: Task.fromJSON({
        id: taskId,
        contextId,
        status: { state: 'TASK_STATE_SUBMITTED', timestamp: at() },
        history: [],
      }),
    });
    void userMessage;
    bus.publish({
      kind: 'artifactUpdate',
      data: {
        taskId,
        contextId,
        artifact: {
          artifactId: randomUUID(),
          name: 'answer',
          description: '',
          parts: [{ content: { $case: 'text', value: 'hello' }, filename: '', mediaType: '' }],
          extensions: [],
        },
        append: false,
        lastChunk: false,
      },
    });
    bus.publish({
      kind: 'statusUpdate',
      data: { taskId, contextId, status: { state: 3, timestamp: at() } },
    });
    bus.finished();
  },
  async cancelTask() {},
};

const store = process.env.STORE === 'redis' ? new RedisTaskStore() : new InMemoryTaskStore();
const requestHandler = new DefaultRequestHandler(card, store, executor);
const app = express();
app.use('/a2a/v1', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
app.listen(port, '127.0.0.1', () => process.stdout.write('peer is ready\n'));
