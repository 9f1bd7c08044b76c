import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Task } from '../../src/domain/a2a.js';
import { A2aClient } from '../support/a2a-client.js';
import { type Alertmanager, startAlertmanager } from '../support/alertmanager.js';
import { caller, Fleet, type Gateway, LEASE_MS } from '../support/gateway.js';
import { N9eServer } from '../support/n9e-server.js';
import { RedisServer } from '../support/redis-server.js';
import { answerOf } from '../support/task-log.js';
import { eventually, sleep, within } from '../support/wait.js';
import { WriteGate, type WriteStage } from '../support/write-gate.js';
import { client2025 } from '../integration/mcp-wire.js';

/** `make write-faults` does it 50 times; a build once. */
const ROUNDS = Number(process.env['NIGHTJAR_WRITE_ROUNDS'] ?? '1');
/** The same with mutes of n9e; a build has one in n9e.e2e-spec.ts. */
const MUTE_ROUNDS = Number(process.env['NIGHTJAR_MUTE_ROUNDS'] ?? '0');
const N9E_TOKEN = '0b7c2f7e-6d0e-4c57-9f0b-0c0d6f0c9a11';
const CLI = join(import.meta.dirname, '../../dist/cli/nightjar.js');
const run = promisify(execFile);

interface AmSilence {
  readonly id: string;
  readonly comment: string;
  readonly createdBy: string;
  readonly status: { readonly state: string };
  readonly matchers: readonly { readonly name: string; readonly value: string }[];
}

const ann = caller('acme', 'ann');
const bob = caller('acme', 'bob');
const otto = caller('careful', 'otto');
const nina = caller('night', 'nina');
/** Operators of the tenant; Otto's other token is one, too. */
const olga = caller('careful', 'olga', { scopes: ['approvals'] });
const ottoAsOperator = caller('careful', 'otto', { scopes: ['approvals'] });
const stranger = caller('acme', 'olga', { scopes: ['approvals'] });
const ADMIN = `adm_${randomBytes(32).toString('base64url')}`;
let redis: RedisServer;
let am: Alertmanager;
let gate: WriteGate;
let n9e: N9eServer;
let n9eGate: WriteGate;
let fleet: Fleet;
let a: Gateway;
let b: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  am = await startAlertmanager();
  gate = await WriteGate.start(am.url);
  n9e = await N9eServer.start();
  n9eGate = await WriteGate.start(n9e.url);
  Object.assign(n9e.facts, {
    users: { [N9E_TOKEN]: { id: 5, username: 'nightjar', groups: [1] } },
    groups: [{ id: 1, name: 'prod' }],
    current: ['DiskFull', 'HighLatency'].map((name, id) => ({
      ...{ id, group_id: 1, group_name: 'prod', hash: name, rule_name: name, severity: 1 },
      ...{ rule_prod: 'metric', cate: 'prometheus', datasource_id: 7 },
      tags: [`rulename=${name}`],
      trigger_time: Math.floor(Date.now() / 1000) - 60,
    })),
  });
  // Without an end they would resolve by themselves after five minutes.
  const endsAt = new Date(Date.now() + 6 * 3_600_000);
  await am.post([
    { labels: { alertname: 'DiskFull', severity: 'critical', host: 'db-1' }, endsAt },
    { labels: { alertname: 'HighLatency', severity: 'warning', host: 'web-1' }, endsAt },
  ]);
  const sources = [{ type: 'alertmanager', name: 'am', url: gate.url }] as const;
  const assistant = { backend: 'builtin' };
  const all = (policy: string) => ({ create_silence: { policy }, expire_silence: { policy } });
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [
      { id: 'acme', assistant, sources, writes: all('ask-caller') },
      { id: 'careful', assistant, sources, writes: all('ask-operator') },
      {
        id: 'night',
        assistant,
        sources: [
          {
            ...{ type: 'n9e', name: 'night', url: n9eGate.url, busiGroups: [1], mutes: true },
            headers: { 'X-User-Token': N9E_TOKEN },
          },
        ],
        writes: all('ask-caller'),
      },
    ],
    callers: [ann, bob, otto, olga, ottoAsOperator, stranger, nina],
    env: { NIGHTJAR_ADMIN_TOKEN: ADMIN },
  });
  [a, b] = fleet.gateways as [Gateway, Gateway];
});
afterAll(async () => {
  await fleet.stop();
  await gate.stop();
  await n9eGate.stop();
  await n9e.stop();
  await am.stop();
  await redis.stop();
});

async function silencesOf(task: Task): Promise<AmSilence[]> {
  const all = (await am.get('/silences')) as AmSilence[];
  return all.filter(({ comment }) => comment.includes(task.id));
}

function questionOf(task: Task): string {
  expect(task.status.state).toBe('TASK_STATE_INPUT_REQUIRED');
  return task.status.message?.parts[0]?.text ?? '';
}

function on(gateway: Gateway, who = ann): A2aClient {
  return new A2aClient(gateway.baseUrl, who.token);
}

describe('a silence that its user approves', () => {
  it('should be proposed on A, approved on B by the context alone, ended over MCP', async () => {
    const asked = await on(a).send('silence DiskFull for an hour');
    const question = questionOf(asked);
    expect(question).toContain('`alertname="DiskFull"`');
    expect(question).toContain('fits 1 alert that fires now');
    expect(await silencesOf(asked)).toEqual([]);

    const done = await on(b).send('yes', { contextId: asked.contextId });
    expect(done.id).toBe(asked.id);
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    const [silence, ...more] = await silencesOf(asked);
    expect(more).toEqual([]);
    expect(silence).toMatchObject({ createdBy: 'ann', status: { state: 'active' } });
    expect(answerOf(done)).toContain(silence!.id);
    expect(await am.amtool('silence', 'query', '-q')).toContain(silence!.id);
    await eventually('it is in the audit', async () => {
      const audit = `/admin/v1/audit?tenant=acme&actor=ann&action=write.&target=task/${asked.id}`;
      const admin = new A2aClient(a.managementUrl, ADMIN);
      const { body } = await admin.call<{ entries: { action: string; outcome: string }[] }>(
        'GET',
        audit,
      );
      const noted = body.entries.map(({ action, outcome }) => `${action} ${outcome}`).sort();
      return noted.join() === 'write.decide ok,write.effect ok,write.propose ok';
    });

    const mcp = await client2025(a.baseUrl, ann.token);
    try {
      const proposal = await mcp.call({ message: `expire silence ${silence!.id}` });
      expect(proposal.structured['status']).toBe('input_required');
      expect(proposal.texts.join()).toContain(silence!.id);
      const ended = await mcp.call({ message: 'yes', chat_id: proposal.structured['chat_id'] });
      expect(ended.structured['status']).toBe('completed');
    } finally {
      await mcp.close();
    }
    expect((await silencesOf(asked))[0]?.status.state).toBe('expired');
  });

  it('should be made once, however often and wherever the yes is said', async () => {
    const asked = await on(a).send('silence HighLatency for an hour');
    questionOf(asked);
    const said = await Promise.allSettled(
      [a, b, a, b].map((gateway) => on(gateway).send('yes', { taskId: asked.id })),
    );
    expect(said.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await silencesOf(asked)).toHaveLength(1);
    await expect(on(b).send('yes', { taskId: asked.id })).rejects.toThrow(/ended/);
    expect(await silencesOf(asked)).toHaveLength(1);
  });

  it('should not be made by a no, by something else, or by somebody else', async () => {
    const asked = await on(a).send('silence DiskFull for 2h');
    await expect(on(b, bob).send('yes', { taskId: asked.id })).rejects.toThrow(/404/);
    await on(b, bob).send('yes', { contextId: asked.contextId });
    const again = await on(b).send('hm, which host is that?', { taskId: asked.id });
    expect(questionOf(again)).toContain('no clear answer');
    const refused = await on(b).send('no', { taskId: asked.id });
    expect(answerOf(refused)).toContain('Nothing was done');

    const other = await on(a).send('silence DiskFull for 2h');
    const next = await on(b).send('which alerts are firing?', { contextId: other.contextId });
    expect(answerOf(next)).toContain('the proposal that was open here is dropped');
    const superseded = await eventually('superseded', async () => {
      const task = await on(a).get(other.id);
      return task.status.state === 'TASK_STATE_CANCELED' && task;
    });
    expect(superseded.status.message?.parts[0]?.text).toContain('Superseded');
    expect([...(await silencesOf(asked)), ...(await silencesOf(other))]).toEqual([]);
  });
});

describe('a silence that an operator approves', () => {
  async function nightjar(...args: string[]): Promise<string> {
    const env = { ...process.env, REDIS_URL: redis.url };
    const { stdout } = await run(process.execPath, [CLI, 'approvals', ...args], { env });
    return stdout;
  }

  async function pending(): Promise<{ id: string; summary: string }> {
    return eventually('a request waits', async () => {
      const lines = (await nightjar('list', '--tenant', 'careful', '--json')).split('\n');
      return lines[0] !== '' && (JSON.parse(lines[0]!) as { id: string; summary: string });
    });
  }

  it.each([
    ['approve', 1, /Approved by the operator olga/],
    ['refuse', 0, /olga refused it/],
  ])('should wait for the CLI to %s it', async (verb, made, answer) => {
    const task = await on(a, otto).start('silence DiskFull for an hour');
    const { id, summary } = await pending();
    expect(summary).toContain('alertname="DiskFull"');
    // The caller's word is not the operator's.
    await expect(on(b, otto).send('yes', { taskId: task.id })).rejects.toThrow(/running/);
    await nightjar(verb, id, '--tenant', 'careful', '--as', 'olga');
    await expect(nightjar('refuse', id, '--tenant', 'careful', '--as', 'olaf')).rejects.toThrow(
      /already by olga/,
    );
    const done = await eventually('settled', async () => {
      const now = await on(b, otto).get(task.id);
      return now.status.state === 'TASK_STATE_COMPLETED' && now;
    });
    expect(answerOf(done)).toMatch(answer);
    expect(await silencesOf(task)).toHaveLength(made);
    const outcome = verb === 'approve' ? 'approved' : 'refused';
    for (const counted of ['asked', outcome]) {
      const sample = `nightjar_approvals_total{approver="operator",outcome="${counted}"}`;
      expect(await a.metric(sample), counted).toBeGreaterThan(0);
    }
  });

  it('should be decided over the admin API, by an admin or by an operator who did not ask', async () => {
    const at = '/admin/v1/tenants/careful/approvals';
    const ask = (token: string, method: string, path: string) =>
      new A2aClient(b.managementUrl, token).call(method, path);
    interface Waiting {
      readonly approvals: readonly { id: string; taskId: string; summary: string }[];
    }
    for (const [who, verb, outcome, made, answer] of [
      [olga.token, 'approve', 'approved', 1, /Approved by the operator olga/],
      [ADMIN, 'refuse', 'refused', 0, /admin refused it/],
    ] as const) {
      const task = await on(a, otto).start('silence DiskFull for an hour');
      const { id, summary } = await eventually('it waits', async () => {
        const { body } = await new A2aClient(b.managementUrl, who).call<Waiting>('GET', at);
        return body.approvals.find(({ taskId }) => taskId === task.id);
      });
      expect(summary).toContain('alertname="DiskFull"');
      // Neither by who asked, under whatever token, nor by another tenant's operator.
      expect((await ask(ottoAsOperator.token, 'POST', `${at}/${id}:${verb}`)).status).toBe(403);
      expect((await ask(otto.token, 'POST', `${at}/${id}:${verb}`)).status).toBe(403);
      expect((await ask(stranger.token, 'GET', at)).status).toBe(404);
      expect((await ask(stranger.token, 'POST', `${at}/${id}:${verb}`)).status).toBe(404);
      expect((await ask(olga.token, 'GET', '/admin/v1/tenants')).status).toBe(403);
      expect((await on(b, olga).call('GET', at)).status).toBe(404);

      const decided = await ask(who, 'POST', `${at}/${id}:${verb}`);
      expect(decided.body).toEqual({ id, decision: outcome, by: who === ADMIN ? 'admin' : 'olga' });
      const again = await ask(ADMIN, 'POST', `${at}/${id}:refuse`);
      expect(again.status).toBe(who === ADMIN ? 200 : 409);
      expect((await ask(who, 'POST', `${at}/none:${verb}`)).status).toBe(404);
      const done = await eventually('settled', async () => {
        const now = await on(b, otto).get(task.id);
        return now.status.state === 'TASK_STATE_COMPLETED' && now;
      });
      expect(answerOf(done)).toMatch(answer);
      expect(await silencesOf(task)).toHaveLength(made);
      const audit = `/admin/v1/audit?tenant=careful&target=approval/${id}`;
      const { body } = await new A2aClient(b.managementUrl, ADMIN).call<{
        entries: { action: string; actor: string; outcome: string }[];
      }>('GET', audit);
      const shown = body.entries.map(({ actor, outcome: of }) => `${actor} ${of}`);
      expect(shown).toContain('otto PERMISSION_DENIED');
      expect(shown).toContain(who === ADMIN ? 'admin:admin ok' : 'olga ok');
    }
  });
});

/** What is written, by whom, and what the source itself has of it. */
interface Writing {
  readonly what: string;
  readonly rounds: number;
  readonly who: typeof ann;
  readonly source: string;
  readonly gate: () => WriteGate;
  /** Ids of what bears the mark of the task. */
  readonly made: (task: Task) => Promise<readonly string[]>;
}

const WRITINGS: readonly Writing[] = [
  {
    ...{ what: 'silence', rounds: ROUNDS, who: ann, source: 'am' },
    gate: () => gate,
    made: async (task) => (await silencesOf(task)).map(({ id }) => id),
  },
  {
    ...{ what: 'mute', rounds: MUTE_ROUNDS, who: nina, source: 'night' },
    gate: () => n9eGate,
    made: ({ id }) => {
      const own = n9e.facts.mutes.filter(({ note }) => String(note).includes(id));
      return Promise.resolve(own.map((mute) => String(mute['id'])));
    },
  },
];

describe.each(WRITINGS.filter(({ rounds }) => rounds > 0))(
  'an owner that dies in the middle of its $what, $rounds times',
  (writing) => {
    const { rounds: ROUNDS, who } = writing;
    /** Rounds at once; most of a round is waiting for a lease to lapse. */
    const LANES = Math.min(ROUNDS, 5);
    const STAGES = ['before', 'during', 'after'] as const;

    interface Strike {
      readonly at: WriteStage;
      readonly arrive: () => void;
      readonly struck: Promise<void>;
    }

    /** By the task whose silence is being written: its comment names it. */
    const strikes = new Map<string, Strike>();
    /** Writes that were under way when their owner was struck. */
    let reached: Record<WriteStage, number>;
    /** How the tasks ended, and what Alertmanager's own API had of them. */
    let ends: Map<string, number>;

    beforeEach(() => {
      reached = { before: 0, during: 0, after: 0 };
      ends = new Map();
      writing.gate().onWrite = async (stage, body) => {
        const strike = [...strikes].find(([taskId]) => body.includes(taskId))?.[1];
        if (strike?.at !== stage) return undefined;
        strike.arrive();
        await strike.struck;
        return stage === 'before' ? 'drop' : undefined;
      };
    });
    afterEach(() => {
      writing.gate().onWrite = () => undefined;
      process.stdout.write(
        `${writing.what}: under way when struck: ${show(reached)}; then: ${show(Object.fromEntries(ends))}\n`,
      );
    });

    function show(counts: Readonly<Record<string, number>>): string {
      return Object.entries(counts)
        .map(([what, count]) => `${what} ${count}`)
        .join(', ');
    }

    async function inLanes(round: (lane: number) => Promise<void>): Promise<void> {
      let left = ROUNDS;
      await Promise.all(
        Array.from({ length: LANES }, async (_, lane) => {
          while (left > 0) {
            left -= 1;
            await round(lane);
          }
        }),
      );
    }

    /** Approved on `victim`, which is struck once each of its writes is at its stage. */
    async function hit(
      victim: Gateway,
      stages: readonly WriteStage[],
      strike: () => Promise<void>,
      mustBeSeen = true,
    ): Promise<void> {
      const asked = await Promise.all(
        stages.map(() => on(b, who).send('silence DiskFull for an hour')),
      );
      asked.forEach(questionOf);
      let release = (): void => undefined;
      const struck = new Promise<void>((resolve) => {
        release = resolve;
      });
      const arrived = asked.map(
        ({ id }, n) =>
          new Promise<WriteStage>((resolve) => {
            const at = stages[n]!;
            const arrive = (): void => {
              resolve(at);
            };
            strikes.set(id, { at, arrive, struck });
          }),
      );
      const answers = asked.map(({ id }) =>
        on(victim, who)
          .send('yes', { taskId: id })
          .catch(() => undefined),
      );
      // On a busy machine one may have been taken over before it got there; what is judged holds then too.
      await within('every write is at its stage', 15_000, Promise.all(arrived)).catch(
        () => undefined,
      );
      const there = await Promise.all(
        arrived.map((one) => Promise.race([one, Promise.resolve(undefined)])),
      );
      for (const stage of there) if (stage !== undefined) reached[stage] += 1;
      await strike();
      release();
      await Promise.all(answers);
      for (const [n, { id }] of asked.entries()) {
        await judge(id, mustBeSeen ? there[n] : undefined);
      }
      for (const { id } of asked) strikes.delete(id);
    }

    /** At most one silence, and no word of what is not known. */
    async function judge(taskId: string, at?: WriteStage): Promise<void> {
      const task = await eventually(
        'the task has ended',
        async () => {
          const now = await on(b, who).get(taskId);
          return /COMPLETED|FAILED/.test(now.status.state) && now;
        },
        LEASE_MS + 60_000,
      );
      const made = await writing.made(task);
      expect(made.length).toBeLessThanOrEqual(1);
      const said = task.status.message?.parts[0]?.text ?? '';
      const isOpen = said.includes('may have been done');
      // Whoever took the task over has looked, and it was there.
      if (at === 'during' || at === 'after') expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      if (task.status.state === 'TASK_STATE_COMPLETED') {
        expect(made).toHaveLength(1);
        expect(answerOf(task)).toContain(made[0]);
      } else if (made.length > 0 || isOpen) {
        expect(said).toContain('may have been done');
        expect(said).toContain(`create a silence in ${writing.source} for alertname=`);
      }
      const word = task.status.state === 'TASK_STATE_COMPLETED' ? 'said done' : 'said not known';
      const end = `${isOpen || made.length > 0 ? word : 'not begun'} with ${made.length} silences`;
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }

    it(
      'should leave at most one: before, during and after the request was received',
      async () => {
        await inLanes(async () => {
          // A busy machine may be slow to start one, fifty times in a row.
          const victim = await fleet.add().catch(() => fleet.add());
          await hit(victim, STAGES, () => victim.kill9());
        });
        for (const stage of STAGES) expect(reached[stage], stage).toBeGreaterThan(ROUNDS / 2);
      },
      ROUNDS * 60_000,
    );

    it(
      'should do so when it sleeps past its lease in the middle of one, or just before',
      async () => {
        const sleepers = await Promise.all(Array.from({ length: LANES }, () => fleet.add()));
        await inLanes(async (lane) => {
          const sleeper = sleepers[lane]!;
          const late = await on(b, who).send('silence HighLatency for an hour');
          let answer: Promise<unknown> = Promise.resolve();
          await hit(sleeper, ['during', 'during'], async () => {
            answer = on(sleeper, who)
              .send('yes', { taskId: late.id })
              .catch(() => undefined);
            await sleep(Math.random() * 30);
            sleeper.sigstop();
            await sleep(LEASE_MS + 3_000);
            sleeper.sigcont();
          });
          await answer;
          const { status } = await on(b, who).get(late.id);
          // It may have been stopped before it knew of the yes, which it then takes, or nobody does.
          if (status.state !== 'TASK_STATE_INPUT_REQUIRED') await judge(late.id);
          else expect(await writing.made(late)).toEqual([]);
          await eventually('it has let go', async () => {
            return (await sleeper.metric('nightjar_active_runs')) === 0;
          });
        });
        expect(reached.during).toBeGreaterThan(ROUNDS);
      },
      ROUNDS * 90_000,
    );
  },
);
