import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TenantBackends } from '../../src/assistant/backend-registry.js';
import { DEFAULT_LIMITS, type TenantLimits } from '../../src/config/limits.js';
import type { Task } from '../../src/domain/a2a.js';
import { Keys } from '../../src/redis/keys.js';
import { dayOf } from '../../src/store/redis-usage.store.js';
import { callerOf, Core, coreConfig, say } from '../support/core.js';
import { gatewayConfig } from '../support/gateway-config.js';
import { RedisServer } from '../support/redis-server.js';
import { bytes, openai, ScriptedLlm, status } from '../support/scripted-llm.js';
import { eventually } from '../support/wait.js';

const alice = { ...callerOf('acme', 'alice'), token: 'k1' };
const keys = new Keys();

/** An answer whose provider counts so many tokens. */
function counted(text: string, sent: number, received: number) {
  const usage = {
    prompt_tokens: sent,
    completion_tokens: received,
    total_tokens: sent + received,
  };
  const last = { id: 'c-1', object: 'chat.completion.chunk', model: 'm', choices: [], usage };
  return bytes(
    openai.chunk({ content: text }),
    openai.chunk({}, 'stop'),
    openai.event(last),
    openai.done,
  );
}

describe('allowances of the llm backend', () => {
  let server: RedisServer;
  let redis: Redis;
  let llm: ScriptedLlm;
  const opened: { core: Core; backends: TenantBackends }[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = new Redis(server.url);
    llm = await ScriptedLlm.start();
  });
  afterAll(async () => {
    await Promise.all(opened.map(({ core }) => core.stop()));
    await Promise.all(opened.map(({ backends }) => backends.onModuleDestroy()));
    redis.disconnect();
    await llm.close();
    await server.stop();
  });

  /** An instance whose tenant has these limits. */
  async function instance(over: Partial<TenantLimits>, fallback = false): Promise<Core> {
    const assistant = {
      ...{ backend: 'llm', provider: 'openai-compatible', baseUrl: llm.url, model: 'test' },
      ...(fallback ? { fallback: 'builtin' } : {}),
    };
    const sources = [{ type: 'demo', name: 'demo' }];
    const config = gatewayConfig({ tenants: [{ id: 'acme', assistant, sources }] });
    const backends = new TenantBackends(config);
    const limits = { ...DEFAULT_LIMITS, ...over };
    const tenants = config.tenants.map((tenant) => ({ ...tenant, limits }));
    const core = new Core(coreConfig(server.url, { tenants }), backends.backendOf('acme'));
    opened.push({ core: await core.start(), backends });
    return core;
  }

  async function ask(core: Core, text: string): Promise<Task> {
    const { taskId } = await core.tasks.submit(alice, say(text));
    const signal = new AbortController().signal;
    return core.tasks.waitSettled(alice, taskId, { timeoutMs: 10_000, signal });
  }

  const spent = (): Promise<Record<string, string>> =>
    redis.hgetall(keys.spent('acme', dayOf(Date.now())));

  function textOf(task: Task): string {
    return JSON.stringify([task.status.message ?? '', task.artifacts ?? []]);
  }

  it('should count what the provider says, give failed requests back, and then answer without it', async () => {
    const wide = await instance({ llmTokensPerDayPerUser: 1_000_000 });
    llm.script(status(401), counted('All quiet.', 300, 20));
    expect((await ask(wide, 'first')).status.state).toBe('TASK_STATE_FAILED');
    await eventually('nothing is spent', async () => (await spent())['llm:u:alice'] === '0');
    expect((await ask(wide, 'second')).status.state).toBe('TASK_STATE_COMPLETED');
    await eventually('320 are spent', async () => (await spent())['llm:u:alice'] === '320');
    expect(await spent()).toEqual({ llm: '320', 'llm:u:alice': '320', 'llm:k:k1': '320' });

    llm.script();
    const narrow = await instance({ llmTokensPerDayPerUser: 320 });
    const failed = await ask(narrow, 'third');
    expect(failed.status.state).toBe('TASK_STATE_FAILED');
    expect(textOf(failed)).toContain(
      'Today’s allowance of language model tokens for this user is used up; more from 00:00 UTC.',
    );
    const falling = await instance({ llmTokensPerDayPerTenant: 320 }, true);
    const answered = await ask(falling, 'what is firing?');
    expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
    expect(textOf(answered)).toContain('for this tenant is used up');
    expect(textOf(answered)).toContain('The built-in assistant answers instead.');
    // The model was not asked at all.
    expect([llm.requests.length, llm.complaints]).toEqual([0, []]);
  });

  it('should tell model and user when no more tools may be called', async () => {
    const core = await instance({ toolCallsPerDayPerUser: 1 });
    const call = { id: 'c', name: 'list_alerts', args: {} };
    llm.script(
      openai.calls({ ...call, id: 'c1' }),
      openai.calls({ ...call, id: 'c2' }),
      (request, response) => {
        expect(openai.resultsIn(request).join('\n')).toContain('no more tool calls are allowed');
        return openai.says('As far as I could see.')(request, response);
      },
    );
    const task = await ask(core, 'look twice');
    expect(llm.complaints).toEqual([]);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    expect(textOf(task)).toContain(
      'Today’s allowance of tool calls for this user is used up; more from 00:00 UTC.',
    );
    expect((await spent())['tools:u:alice']).toBe('1');
  });
});
