import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { composeToken, ComposeStack } from '../support/compose-stack.js';
import { BACKEND } from '../support/gateway.js';
import { OwnedProcess } from '../support/owned-process.js';
import { eventually } from '../support/wait.js';

const ROOT = join(import.meta.dirname, '../..');
const FAST = {
  NIGHTJAR_LEASE_MS: '2000',
  NIGHTJAR_HEARTBEAT_MS: '500',
  NIGHTJAR_SWEEP_MS: '250',
};

let stack: ComposeStack;
/** Of the composition's own tenant, and of one whose tasks take as long as a test says. */
let ops: string;
let slow: string;

beforeAll(async () => {
  const assistant = { backend: 'module', module: BACKEND, readOnly: true, options: {} };
  stack = await ComposeStack.start({ tenants: [{ id: 'slow', assistant }], env: FAST });
  ops = await composeToken(stack, 'ops');
  slow = await composeToken(stack, 'slow');
});
afterAll(() => stack.stop());

/** a2a-cli through nginx. */
async function cli(token: string, ...args: readonly string[]): Promise<OwnedProcess> {
  const script = join(ROOT, 'dist/cli/a2a-cli.js');
  return OwnedProcess.start(process.execPath, [script, '--server', stack.url, ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', HOME: stack.dir, NIGHTJAR_TOKEN: token },
  });
}

async function run(token: string, ...args: readonly string[]): Promise<string> {
  const child = await cli(token, ...args);
  expect(await child.exited(), child.logs).toBe(0);
  return child.logs;
}

/** How many requests each gateway has answered. */
async function answered(): Promise<number[]> {
  return Promise.all(
    ['gateway-1:18000', 'gateway-2:18000'].map(async (at) => {
      const text = await (await fetch(`http://${stack.at(at)}/metrics`)).text();
      return [...text.matchAll(/^nightjar_requests_total\{.*\} (\d+)$/gm)].reduce(
        (sum, [, count]) => sum + Number(count),
        0,
      );
    }),
  );
}

describe('compose.yaml: nginx in front of two gateways, without affinity', () => {
  it('should answer from the composition’s own Alertmanager and Prometheus', async () => {
    await eventually(
      'the demo alert fires',
      async () => (await run(ops, '--message', 'what is firing?')).includes('CheckoutErrorsHigh'),
      120_000,
      1000,
    );
    const text = await run(ops, '--message', 'query up{job="nightjar"}', '--no-stream');
    expect(text).toContain(stack.at('gateway-1:18000'));
    expect(text).toContain(stack.at('gateway-2:18000'));
  });

  it('should name nginx’ address in the agent card', async () => {
    const card = await (await fetch(`${stack.url}/.well-known/agent-card.json`)).text();
    expect(card).toContain(`${stack.url}/a2a`);
    expect(card).not.toContain(stack.at('gateway-1:17000'));
  });

  it('should spread requests over both gateways, each knowing all tasks', async () => {
    const client = new A2aClient(stack.url, slow);
    const before = await answered();
    const { id } = await client.send('instant');
    for (let n = 0; n < 10; n += 1) {
      expect(await client.state(id)).toBe('TASK_STATE_COMPLETED');
    }
    const after = await answered();
    expect(after[0]! - before[0]!).toBeGreaterThan(2);
    expect(after[1]! - before[1]!).toBeGreaterThan(2);
  });

  it('should pass events at once, not when the stream ends', async () => {
    const stream = await new A2aClient(stack.url, slow).stream('deltas count=5 every=400');
    await stream.ended;
    const times = stream.events.map(({ at }) => at);
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(1000);
  });

  it('should subscribe to and cancel a task on whichever gateway nginx picks', async () => {
    const client = new A2aClient(stack.url, slow);
    const { id } = await client.start('deltas count=2000 every=50');
    const follower = await cli(slow, 'subscribe', id);
    const other = await client.subscribe(id);
    await other.until(5);
    await eventually('the follower shows text', () => follower.logs.includes('1.3'));
    await run(slow, 'cancel', id);
    await other.ended;
    expect(await follower.exited(), follower.logs).toBeDefined();
    expect(follower.logs).toMatch(/cancell?ed/i);
    expect(await client.state(id)).toBe('TASK_STATE_CANCELED');
  });

  it('should go on when a gateway dies, and raise an alert about it that the assistant tells', async () => {
    const client = new A2aClient(stack.url, slow);
    const tasks = await Promise.all(
      Array.from({ length: 4 }, () => client.start('deltas count=100 every=60')),
    );
    await sleep(1000);
    await stack.kill('gateway-2');
    for (const { id } of tasks) {
      await eventually(
        `${id} is completed`,
        async () => (await client.state(id)) === 'TASK_STATE_COMPLETED',
        60_000,
        250,
      );
    }
    await eventually(
      'GatewayUnreachable fires',
      async () => (await run(ops, '--message', 'what is firing?')).includes('GatewayUnreachable'),
      120_000,
      1000,
    );
    // The gateways' own rule has seen it, too; it waits for 5 minutes before it fires.
    const prometheus = `http://${stack.at('prometheus:9090')}`;
    const alerts = (await (await fetch(`${prometheus}/api/v1/alerts`)).json()) as {
      data: { alerts: { labels: Record<string, string>; state: string }[] };
    };
    const own = alerts.data.alerts.find(
      ({ labels }) => labels['alertname'] === 'NightjarInstanceDown',
    );
    expect(own?.labels['instance']).toBe(stack.at('gateway-2:18000'));
    expect(own?.state).toMatch(/pending|firing/);
    await stack.startGateway('gateway-2');
  });

  it('should answer every query of the dashboard, and load every alert rule', async () => {
    const prometheus = `http://${stack.at('prometheus:9090')}`;
    const rules = (await (await fetch(`${prometheus}/api/v1/rules`)).json()) as {
      data: { groups: { name: string; rules: { health: string; lastError?: string }[] }[] };
    };
    const own = rules.data.groups.find(({ name }) => name === 'nightjar')!.rules;
    expect(own.length).toBeGreaterThan(10);
    for (const rule of own) expect(rule).toMatchObject({ health: 'ok' });
    const file = join(ROOT, 'helm/nightjar/files/dashboard.json');
    const dashboard = JSON.parse(await readFile(file, 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    // Without a fault there is nothing to see in these.
    const quiet = ['Errors', 'Redis reconnects', 'Model requests', 'Model tokens'];
    const empty: string[] = [];
    for (const { title, targets = [] } of dashboard.panels) {
      for (const { expr } of targets) {
        const query = expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.+');
        const url = `${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`;
        const answer = (await (await fetch(url)).json()) as {
          status: string;
          data: { result: unknown[] };
        };
        expect(answer, expr).toMatchObject({ status: 'success' });
        if (answer.data.result.length === 0) empty.push(title);
      }
    }
    expect(empty.filter((title) => !quiet.includes(title))).toEqual([]);
  });
});
