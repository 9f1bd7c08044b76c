import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SCHEMA_VERSION } from '../../src/store/redis-start.check.js';
import type { Task } from '../../src/domain/a2a.js';
import { A2aClient } from '../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../support/gateway.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, sleep } from '../support/wait.js';
import { buildEarlier, type EarlierBuild } from './earlier-build.js';

const ANN = caller('acme', 'ann');
const CLIENTS = 8;
/** About 2 s: longer than a drain, so that some runs are handed from one version to the other. */
const WORK = 'deltas count=20 every=100';
const LAST = /(?:^| )(\d+)\.20 $/;

let earlier: EarlierBuild;
let redis: RedisServer;
let fleet: Fleet;

beforeAll(() => {
  earlier = buildEarlier();
  process.stdout.write(`upgrade from ${earlier.commit}\n`);
});
afterAll(() => {
  earlier.remove();
});
beforeEach(async () => {
  redis = await RedisServer.start({ aof: true });
});
afterEach(async () => {
  await fleet.stop();
  await redis.stop();
});

function start(count: number, entry?: string): Promise<Fleet> {
  return Fleet.start(count, {
    tenants: [{ id: 'acme', limits: { activePerUser: 500 } }],
    callers: [ANN],
    redisUrl: redis.url,
    env: { NIGHTJAR_DRAIN_SECONDS: '1' },
    ...(entry === undefined ? {} : { entry }),
  });
}

/** Clients that never stop asking, each of whichever gateway serves then. */
class Load {
  readonly accepted: string[] = [];
  /** Refused, or no connection: the client asks again elsewhere, and nothing is lost. */
  turnedAway = 0;
  private over = false;
  private readonly clients: Promise<void>[];

  constructor(private readonly serving: () => readonly Gateway[]) {
    this.clients = Array.from({ length: CLIENTS }, (_, n) => this.ask(n));
  }

  async stop(): Promise<void> {
    this.over = true;
    await Promise.all(this.clients);
  }

  private async ask(client: number): Promise<void> {
    for (let n = client; !this.over; n += 1) {
      const gateways = this.serving();
      const gateway = gateways[n % gateways.length]!;
      try {
        const { id } = await new A2aClient(gateway.baseUrl, ANN.token).start(WORK);
        this.accepted.push(id);
      } catch {
        this.turnedAway += 1;
      }
      await sleep(150);
    }
  }
}

/** One for one: a new gateway first, then an old one less, as the chart's strategy has it. */
async function replaceAll(entry: string | undefined, serving: Gateway[]): Promise<void> {
  for (const old of [...serving]) {
    serving.push(await fleet.add({}, entry));
    await sleep(1000);
    serving.splice(serving.indexOf(old), 1);
    old.sigterm();
    expect(await old.exited(), old.logs.slice(-2000)).toBe(0);
  }
}

function answerOf(task: Task): string {
  const answer = (task.artifacts ?? []).filter(({ name }) => name === 'answer');
  return answer.flatMap(({ parts }) => parts.map(({ text }) => text ?? '')).join('');
}

/** Every accepted task is complete, with the whole answer of one attempt. */
async function expectNoneLost(load: Load, gateway: Gateway): Promise<void> {
  const client = new A2aClient(gateway.baseUrl, ANN.token);
  let handedOver = 0;
  for (const id of load.accepted) {
    const task = await eventually(
      `${id} ends`,
      async () => {
        const found = await client.get(id);
        return found.status.state === 'TASK_STATE_WORKING' ||
          found.status.state === 'TASK_STATE_SUBMITTED'
          ? undefined
          : found;
      },
      60_000,
      200,
    );
    expect(task.status.state, JSON.stringify(task.status)).toBe('TASK_STATE_COMPLETED');
    const text = answerOf(task);
    const attempt = LAST.exec(text)?.[1];
    const whole = Array.from({ length: 20 }, (_, n) => `${attempt ?? '?'}.${n + 1} `).join('');
    expect(text, id).toBe(whole);
    if (attempt !== '1') handedOver += 1;
  }
  process.stdout.write(
    `${load.accepted.length} tasks, none lost; ${handedOver} handed from one gateway to another; ` +
      `${load.turnedAway} requests turned away\n`,
  );
  expect(load.accepted.length).toBeGreaterThan(50);
  expect(handedOver).toBeGreaterThan(0);
}

describe('a rolling update on one Redis', () => {
  it('should lose no task from the earlier build to this one, nor on the way back', async () => {
    fleet = await start(2, earlier.entry);
    const serving = [...fleet.gateways];
    const load = new Load(() => serving);
    try {
      await sleep(2000);
      await replaceAll(undefined, serving);
      await sleep(2000);
      await replaceAll(earlier.entry, serving);
      await sleep(1000);
    } finally {
      await load.stop();
    }
    await expectNoneLost(load, serving[0]!);
  });

  it('should show a task of either version to readers of the other, event by event', async () => {
    fleet = await start(1, earlier.entry);
    const before = fleet.gateways[0]!;
    const after = await fleet.add();
    for (const [writer, reader] of [
      [before, after],
      [after, before],
    ] as const) {
      const { id } = await new A2aClient(writer.baseUrl, ANN.token).start(WORK);
      const stream = await new A2aClient(reader.baseUrl, ANN.token).subscribe(id);
      await stream.ended;
      const task = await new A2aClient(reader.baseUrl, ANN.token).get(id);
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
      expect(answerOf(task)).toMatch(LAST);
      expect(stream.events.length).toBeGreaterThan(5);
      const canceled = await new A2aClient(writer.baseUrl, ANN.token).start(WORK);
      const reply = await new A2aClient(reader.baseUrl, ANN.token).cancel(canceled.id);
      expect(reply.body.status.state).toBe('TASK_STATE_CANCELED');
    }
  });

  it('should refuse data of a newer layout at start, in both versions, and leave its mark', async () => {
    fleet = await start(1, earlier.entry);
    const client = new Redis(redis.url);
    try {
      expect(Number(await client.get('nj:schema'))).toBeLessThanOrEqual(SCHEMA_VERSION);
      await client.set('nj:schema', String(SCHEMA_VERSION + 1));
      for (const entry of [earlier.entry, undefined]) {
        await expect(fleet.add({}, entry)).rejects.toThrow('written by a newer Nightjar');
      }
      expect(await client.get('nj:schema')).toBe(String(SCHEMA_VERSION + 1));
    } finally {
      client.disconnect();
    }
  });
});
