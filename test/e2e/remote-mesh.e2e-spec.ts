import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '../../src/domain/a2a.js';
import { A2aClient } from '../support/a2a-client.js';
import { type Caller, caller, Fleet, type Gateway, LEASE_MS } from '../support/gateway.js';
import { nonceIn } from '../support/llm-bench.js';
import { RedisServer } from '../support/redis-server.js';
import { openai, type Script, ScriptedLlm } from '../support/scripted-llm.js';
import { answerOf } from '../support/task-log.js';
import { eventually } from '../support/wait.js';

/** Skill of a gateway as its public card names it. */
const SKILL = 'far__n9e-assistant';

const far = caller('far', 'near-gateway');
const tools = caller('tools', 'near-gateway');
const loopThere = caller('loop', 'near-gateway');
const loopHere = caller('loop', 'far-gateway');
const asker = caller('asks', 'ann');
const plain = caller('plain', 'ann');
const frail = caller('frail', 'ann');
let redis: RedisServer;
let llm: ScriptedLlm;
/** Two deployments: they share nothing but the machine's Redis, under other prefixes. */
let there: Fleet;
let here: Fleet;
let remoteHere: Record<string, unknown>;

const bearer = (env: string): object => ({ kind: 'bearer', token: { env } });

beforeAll(async () => {
  redis = await RedisServer.start();
  llm = await ScriptedLlm.start();
  there = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [
      { id: 'far' },
      { id: 'loop' },
      {
        id: 'tools',
        assistant: { backend: 'builtin' },
        sources: [{ type: 'demo', name: 'demo' }],
        mcp: { toolsets: ['assistant', 'list_alerts', 'count_alerts'] },
      },
    ],
    callers: [far, tools, loopThere],
    config: { redis: { prefix: 'there:' } },
    env: { LOOP_HERE: loopHere.token },
  });
  const { baseUrl } = there.gateways[0]!;
  const open = { allowPrivate: true, url: baseUrl };
  const remote = { ...open, name: 'far', auth: bearer('FAR_TOKEN') };
  here = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [
      {
        id: 'asks',
        assistant: {
          backend: 'llm',
          provider: 'openai-compatible',
          baseUrl: llm.url,
          model: 'm',
          maxSteps: 4,
        },
        remotes: [remote],
        mcpServers: [{ ...open, url: `${baseUrl}/mcp`, name: 'peer', auth: bearer('TOOLS_TOKEN') }],
      },
      {
        id: 'loop',
        assistant: { backend: 'remote', agent: 'peer' },
        remotes: [{ ...open, name: 'peer', auth: bearer('LOOP_THERE') }],
      },
      { id: 'plain', assistant: { backend: 'builtin' }, remotes: [remote] },
      { id: 'frail', assistant: { backend: 'builtin' }, remotes: [remote], takeover: 'fail' },
    ],
    callers: [asker, plain, frail, loopHere],
    env: {
      FAR_TOKEN: far.token,
      TOOLS_TOKEN: tools.token,
      LOOP_THERE: loopThere.token,
    },
  });
  remoteHere = {
    ...open,
    url: here.gateways[0]!.baseUrl,
    name: 'peer',
    auth: bearer('LOOP_HERE'),
  };
});
afterAll(async () => {
  await here.stop();
  await there.stop();
  await llm.close();
  await redis.stop();
});

const on = (gateway: Gateway, { token }: Caller): A2aClient =>
  new A2aClient(gateway.baseUrl, token);
const first = (fleet: Fleet): Gateway => fleet.gateways[0]!;

async function mcp<T>({ token }: Caller, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${first(here).baseUrl}/mcp`), {
      requestInit: { headers },
    }),
  );
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

type Tenant = Record<string, unknown> & { readonly id: string };

/** Writes another document for a tenant into the file that the fleet's gateways watch. */
async function configure(fleet: Fleet, id: string, change: object): Promise<void> {
  const path = join(fleet.dir, 'nightjar.yaml');
  const document = JSON.parse(await readFile(path, 'utf8')) as { tenants: Tenant[] };
  const changed = document.tenants.map((one) => (one.id === id ? { ...one, ...change } : one));
  await writeFile(path, JSON.stringify({ ...document, tenants: changed }));
}

/** Task ids that the far gateway has begun to run, in order. */
async function startsThere(): Promise<readonly string[]> {
  const text = await readFile(there.journal, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { taskId: string }).taskId);
}

const farState = (taskId: string): Promise<string> => on(first(there), far).state(taskId);

async function startedAfter(before: number): Promise<string> {
  return eventually('it runs there', async () => (await startsThere())[before]);
}

/** Goes on until it is ended. */
const LONG = 'deltas count=600 every=100';

/** Waits until the near task names the far one, so that whoever takes it over can. */
async function shown(gateway: Gateway, of: Caller, { id }: Task, text: string): Promise<void> {
  await eventually('some of it is here', async () =>
    JSON.stringify(await on(gateway, of).get(id)).includes(text),
  );
}

/** Calls the far agent, several times at once. */
function callsFar(...tasks: readonly string[]): Script {
  return openai.calls(
    ...tasks.map((task, index) => ({ id: `c${index}`, name: SKILL, args: { task } })),
  );
}

/** Says what only the result of a tool held. */
const quotes: Script = (request, response) =>
  openai.says(`It says ${nonceIn(openai.resultsIn(request))}`)(request, response);

describe('a model that asks a second Nightjar', () => {
  it('should see the answer and quote it; its steps and files should come through', async () => {
    llm.script(callsFar('nonce', 'steps', 'files 5'), quotes);
    const stream = await on(first(here), asker).stream('ask the other one');
    await stream.ended;
    const seen = JSON.stringify(stream.events.map(({ data }) => data));
    expect(llm.complaints).toEqual([]);
    expect(seen).toMatch(/It says nonce-/);
    expect(seen).toContain('"far: looking"');
    expect(seen).toContain('far: thinking');
    expect(seen).toContain(Buffer.from('aaaaa').toString('base64'));
    expect(seen).toContain('TASK_STATE_COMPLETED');
  });

  it('should do so over MCP as well', async () => {
    llm.script(callsFar('nonce', 'steps', 'files 5'), quotes);
    const steps: string[] = [];
    const told = await mcp(asker, (client) =>
      client.callTool(
        { name: 'n9e_assistant', arguments: { message: 'ask the other one' } },
        undefined,
        { onprogress: ({ message = '' }) => steps.push(message) },
      ),
    );
    expect(llm.complaints).toEqual([]);
    expect(JSON.stringify(told.content)).toMatch(/It says nonce-/);
    expect(steps.join('\n')).toContain('far: looking');
    expect(JSON.stringify(told)).toContain(Buffer.from('aaaaa').toString('base64'));
  });

  it('should have the far task canceled with its own, over A2A and over MCP', async () => {
    llm.script(callsFar('hang'));
    const before = (await startsThere()).length;
    const task = await on(first(here), asker).start('ask and wait');
    const begun = await startedAfter(before);
    expect((await on(first(here), asker).cancel(task.id)).body.status.state).toBe(
      'TASK_STATE_CANCELED',
    );
    await eventually('it is canceled', async () => (await farState(begun)).endsWith('CANCELED'));

    llm.script(callsFar('hang'));
    const stop = new AbortController();
    await mcp(asker, async (client) => {
      const calling = client.callTool(
        { name: 'n9e_assistant', arguments: { message: 'ask and wait' } },
        undefined,
        { signal: stop.signal },
      );
      calling.catch(() => undefined);
      const other = await startedAfter(before + 1);
      stop.abort();
      await expect(calling).rejects.toThrow();
      await eventually('it is canceled', async () => (await farState(other)).endsWith('CANCELED'));
    });
  });

  it('should use the read tools of one that is its MCP server', async () => {
    const script: readonly Script[] = [
      (request, response) => {
        const offered = JSON.stringify(request.body.tools);
        expect(offered).toContain('"peer__count_alerts"');
        expect(offered).not.toContain('peer__n9e_assistant');
        return openai.calls({ id: 'c', name: 'peer__list_alerts', args: { limit: 2 } })(
          request,
          response,
        );
      },
      (request, response) => {
        const name = /alertname\W+(\w+)/.exec(openai.resultsIn(request).join())?.[1];
        if (name === undefined) throw new Error('the alerts did not reach the model');
        return openai.says(`Over there fires ${name}`)(request, response);
      },
    ];
    llm.script(...script);
    const answer = answerOf(await on(first(here), asker).send('what fires there?'));
    expect(llm.complaints).toEqual([]);
    expect(answer).toMatch(/^Over there fires [A-Z]\w+$/);
    llm.script(...script);
    const told = await mcp(asker, (client) =>
      client.callTool({ name: 'n9e_assistant', arguments: { message: 'what fires there?' } }),
    );
    expect(llm.complaints).toEqual([]);
    expect(JSON.stringify(told.content)).toContain(answer);
  });
});

describe('two Nightjars that are each other’s remote', () => {
  const LOOP = /agents have called each other 4 times already, which looks like a loop/;

  it('should end the loop with a reason, whichever is asked, over A2A and MCP', async () => {
    await configure(there, 'loop', {
      assistant: { backend: 'remote', agent: 'peer' },
      remotes: [remoteHere],
    });
    await eventually('the far one asks back', async () =>
      LOOP.test(JSON.stringify(await on(first(here), loopHere).send('hello'))),
    );
    for (const client of [on(first(here), loopHere), on(first(there), loopThere)]) {
      const task = await client.send('hello');
      expect(task.status.state).toBe('TASK_STATE_FAILED');
      expect(task.status.message?.parts[0]?.text).toMatch(LOOP);
    }
    const told = await mcp(loopHere, (client) =>
      client.callTool({ name: 'n9e_assistant', arguments: { message: 'hello' } }),
    );
    expect(told.isError).toBe(true);
    expect(JSON.stringify(told.content)).toMatch(LOOP);
  });
});

describe('a remote whose asker is killed', () => {
  it('should be canceled where no run follows it any more', async () => {
    const doomed = await here.add();
    const [before, survivor] = [(await startsThere()).length, first(here)];
    const quick = await on(doomed, plain).start(`ask far: ${LONG}`);
    await shown(survivor, plain, quick, '1.5 ');
    const given = await on(doomed, frail).start(`ask far: ${LONG}`);
    await shown(survivor, frail, given, '1.5 ');
    llm.script(callsFar(`${LONG} step=1`), openai.says('I need not ask anybody'));
    const other = await on(doomed, asker).start('ask the other one');
    await shown(survivor, asker, other, 'far: .');
    const begun = (await startsThere()).slice(before);
    expect(begun).toHaveLength(3);

    await doomed.kill9();
    // Canceled before anybody has taken it over.
    const ended = await on(survivor, plain).cancel(quick.id);
    expect(ended.body.status.state).toBe('TASK_STATE_CANCELED');
    // Ended by the takeover, and gone another way by the next attempt.
    for (const taskId of begun) {
      await eventually(
        'it is canceled',
        async () => (await farState(taskId)).endsWith('CANCELED'),
        LEASE_MS + 20_000,
      );
    }
    expect(await on(survivor, frail).state(given.id)).toBe('TASK_STATE_FAILED');
    expect(answerOf(await on(survivor, asker).get(other.id))).toBe('I need not ask anybody');
    expect(await startsThere()).toHaveLength(before + 3);
  });
});

describe('a change of a tenant’s remotes', () => {
  it('should need no restart, and leave a call under way alone', async () => {
    const client = on(first(here), plain);
    const before = (await startsThere()).length;
    const task = await client.start('ask far: deltas count=25 every=100');
    await startedAfter(before);
    await configure(here, 'plain', { remotes: [] });
    await eventually(
      'the agent is gone',
      async () => !answerOf(await client.send('ask far: instant')).includes('**far** says'),
    );
    const done = await eventually('the call ends', async () => {
      const now = await client.get(task.id);
      return now.status.state === 'TASK_STATE_WORKING' ? undefined : now;
    });
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    expect(answerOf(done)).toMatch(/^\*\*far\*\* says:[^]*1\.25 $/);

    await configure(here, 'asks', { mcpServers: [] });
    await eventually('the model is offered it no more', async () => {
      llm.script(openai.says('nothing'));
      await on(first(here), asker).send('hello');
      return !JSON.stringify(llm.requests[0]?.body.tools).includes('peer__');
    });
    expect(JSON.stringify(llm.requests[0]?.body.tools)).toContain(SKILL);
  });
});
