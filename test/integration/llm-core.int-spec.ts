import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TenantBackends } from '../../src/assistant/backend-registry.js';
import type { Task } from '../../src/domain/a2a.js';
import { callerOf, Core, coreConfig, say } from '../support/core.js';
import { gatewayConfig } from '../support/gateway-config.js';
import { RedisServer } from '../support/redis-server.js';
import { hangAfter, openai, ScriptedLlm, status } from '../support/scripted-llm.js';
import { eventually, within } from '../support/wait.js';

const alice = callerOf('acme', 'alice');

/** From the configuration file to the task in Redis, on two instances. */
describe('the llm backend in the gateway', () => {
  let redis: RedisServer;
  let llm: ScriptedLlm;
  let backends: TenantBackends;
  let a: Core;
  let b: Core;

  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(async () => {
    await redis.stop();
  });
  beforeEach(async () => {
    llm = await ScriptedLlm.start();
  });
  afterEach(async () => {
    await Promise.all([a.stop(), b.stop()]);
    await backends.onModuleDestroy();
    await llm.end();
  });

  async function start(over: object = {}): Promise<void> {
    const assistant = {
      backend: 'llm',
      provider: 'openai-compatible',
      baseUrl: llm.url,
      model: 'test',
      apiKey: { env: 'LLM_KEY' },
      ...over,
    };
    const tenants = [{ id: 'acme', assistant, sources: [{ type: 'demo', name: 'demo' }] }];
    const config = gatewayConfig({ tenants }, { LLM_KEY: 'sk-0123456789abcdef0123' });
    backends = new TenantBackends(config);
    const core = coreConfig(redis.url, { tenants: config.tenants });
    a = await new Core(core, backends.backendOf('acme')).start();
    b = await new Core(core, backends.backendOf('acme')).start();
  }

  async function settled(core: Core, taskId: string): Promise<Task> {
    const signal = new AbortController().signal;
    return core.tasks.waitSettled(alice, taskId, { timeoutMs: 10_000, signal });
  }

  function partsOf(task: Task, name: string): string {
    const named = (task.artifacts ?? []).filter((artifact) => artifact.name === name);
    return named
      .flatMap(({ parts }) => parts.map((part) => part.text ?? JSON.stringify(part.data)))
      .join('');
  }

  it('should keep the evidence, mark demo data, and go on with the conversation elsewhere', async () => {
    await start();
    expect(backends.backendOf('acme').readOnly).toBe(true);
    llm.script(
      openai.calls({ id: 'c-1', name: 'list_alerts', args: { severity: ['critical'] } }),
      (request, response) => {
        if (!openai.resultsIn(request).join().includes('12 % of its requests')) {
          throw new Error('the result did not reach the model');
        }
        return openai.says('Checkout fails.')(request, response);
      },
      (request, response) => {
        if (!request.text.includes('Checkout fails.')) throw new Error('the history is missing');
        return openai.says('As I said.')(request, response);
      },
    );
    const first = await a.tasks.submit(alice, say('what is wrong?'));
    const task = await settled(a, first.taskId);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(partsOf(task, 'answer')).toBe('Checkout fails.\n\n_These are made-up demo data._');
    const result = JSON.parse(partsOf(task, 'result')) as {
      tool_calls: number;
      evidence: { tool: string; outcome: string; output: string }[];
    };
    expect(result.tool_calls).toBe(1);
    expect(result.evidence).toMatchObject([{ tool: 'list_alerts', outcome: 'success' }]);
    expect(result.evidence[0]?.output).toContain('"query":"alerts: state=firing, severity in');
    const more = await b.tasks.submit(alice, say('and?', { contextId: first.contextId }));
    expect(partsOf(await settled(b, more.taskId), 'answer')).toBe('As I said.');
  });

  it('should close the call of the model when another instance cancels', async () => {
    await start({ fallback: 'builtin' });
    llm.script(hangAfter(openai.chunk({ content: 'One two ' })));
    const { taskId } = await a.tasks.submit(alice, say('what is firing?'));
    await eventually('the call', () => llm.requests.length === 1);
    const { task } = await b.tasks.cancel(alice, taskId);
    expect(task.status.state).toBe('TASK_STATE_CANCELED');
    await within('the abort at the model', 5000, llm.requests[0]!.gone);
  });

  it('should fail with the reason, or answer without the model where that is wanted', async () => {
    await start();
    llm.script(status(401));
    const failed = await settled(a, (await a.tasks.submit(alice, say('hi'))).taskId);
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(failed.status.message?.parts).toEqual([
      { text: 'The language model refused the gateway’s key (HTTP 401).' },
    ]);
    await Promise.all([a.stop(), b.stop(), backends.onModuleDestroy()]);
    await start({ fallback: 'builtin' });
    llm.script(status(401));
    const sent = await a.tasks.submit(alice, say('what is firing?'));
    const answered = await settled(a, sent.taskId);
    expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
    expect(partsOf(answered, 'answer')).toMatch(/^> The language model refused.*HighErrorRate/s);
  });
});
