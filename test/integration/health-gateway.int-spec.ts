import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { caller, Fleet, type FleetOptions, type Gateway } from '../support/gateway.js';
import { OwnedProcess } from '../support/owned-process.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, within } from '../support/wait.js';

const ENTRY = join(import.meta.dirname, '../../dist/main.js');
const ANN = caller('acme', 'ann');
const SECRET_TEXT = 'instant the-text-of-the-user';

describe('a gateway process', () => {
  let redis: RedisServer;
  const fleets: Fleet[] = [];
  const kept: Fleet[] = [];

  beforeAll(async () => {
    redis = await RedisServer.start({ aof: true });
  });
  afterEach(async () => {
    await Promise.all(fleets.splice(0).map((fleet) => fleet.stop()));
  });
  afterAll(async () => {
    await redis.stop();
  });

  async function start(options: Partial<FleetOptions> = {}): Promise<Gateway> {
    const fleet = await Fleet.start(1, {
      tenants: [{ id: 'acme' }],
      callers: [ANN],
      redisUrl: redis.url,
      ...options,
    });
    fleets.push(fleet);
    return fleet.gateways[0]!;
  }

  function send(
    gateway: Gateway,
    text: string,
    { token = ANN.token, verb = 'send' } = {},
  ): Promise<Response> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] };
    return fetch(`${gateway.baseUrl}/a2a/message:${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user-token': token },
      body: JSON.stringify({ message }),
    });
  }

  async function status(url: string, init?: RequestInit): Promise<number> {
    const response = await fetch(url, init);
    await response.arrayBuffer();
    return response.status;
  }

  describe('that goes on', () => {
    let gateway: Gateway;

    beforeAll(async () => {
      gateway = await start();
      kept.push(...fleets.splice(0));
    });
    afterAll(async () => {
      await Promise.all(kept.splice(0).map((fleet) => fleet.stop()));
    });

    it('should answer probes and metrics on the management port, and nothing else there', async () => {
      for (const path of ['/livez', '/readyz', '/metrics']) {
        expect(await status(gateway.managementUrl + path), path).toBe(200);
        expect(await status(gateway.managementUrl + path, { method: 'POST' }), path).toBe(405);
        expect(await status(gateway.baseUrl + path), path).toBe(404);
      }
      for (const path of ['/a2a', '/.well-known/agent-card.json', '/mcp', '/constructor']) {
        expect(await status(gateway.managementUrl + path), path).toBe(404);
      }
    });

    it('should count requests, tasks and refusals', async () => {
      expect((await send(gateway, 'deltas count=3 every=80')).status).toBe(200);
      expect((await send(gateway, 'instant', { token: 'x'.repeat(40) })).status).toBe(401);
      await eventually('the requests are counted', async () => {
        const sent =
          'nightjar_requests_total{surface="a2a-rest",method="SendMessage",status="200"}';
        return (await gateway.metric(sent)) === 1;
      });
      const completed = 'nightjar_tasks_settled_total{state="TASK_STATE_COMPLETED",tenant="acme"}';
      expect(await gateway.metric(completed)).toBe(1);
      expect(await gateway.metric('nightjar_auth_failures_total{reason="invalid"}')).toBe(1);
      expect(await gateway.metric('nightjar_append_duration_seconds_count')).toBeGreaterThan(0);
      expect(await gateway.metric('nightjar_active_runs')).toBe(0);
      expect(await gateway.metric('process_resident_memory_bytes')).toBeGreaterThan(0);
    });

    it('should log ids, and neither tokens nor what users write', async () => {
      const requestId = randomUUID();
      const response = await fetch(`${gateway.baseUrl}/a2a/message:send?secret=in-a-query`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${ANN.token}`,
          'x-request-id': requestId,
        },
        body: JSON.stringify({
          message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: SECRET_TEXT }] },
        }),
      });
      const { task } = (await response.json()) as { task: { id: string } };
      const line = await eventually('the request is logged', () =>
        gateway.logs
          .split('\n')
          .filter((text) => text.includes(requestId))
          .map((text) => JSON.parse(text) as Record<string, unknown>)
          .find((entry) => entry['msg'] === 'request'),
      );
      expect(line).toMatchObject({
        requestId,
        tenant: 'acme',
        user: 'ann',
        taskId: task.id,
        status: 200,
        path: '/a2a/message:send',
      });
      expect(gateway.logs).not.toContain(ANN.token);
      expect(gateway.logs).not.toContain('the-text-of-the-user');
      expect(gateway.logs).not.toContain('in-a-query');
    });

    it('should log and count a stream whose client goes away', async () => {
      const gone = new AbortController();
      const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'hang' }] };
      const response = await fetch(`${gateway.baseUrl}/a2a/message:stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-user-token': ANN.token },
        body: JSON.stringify({ message }),
        signal: gone.signal,
      });
      await response.body?.getReader().read();
      gone.abort();
      await eventually('the aborted stream is logged', () =>
        gateway.logs.split('\n').some((text) => text.includes('"aborted":true')),
      );
      expect(await gateway.metric('nightjar_open_streams')).toBe(0);
    });

    it('should be unready while Redis is away, refuse with 503, and recover by itself', async () => {
      await redis.kill9();
      const unready = await eventually('readyz fails', async () => {
        const response = await fetch(`${gateway.managementUrl}/readyz`);
        return response.status === 503 && ((await response.json()) as { status: string });
      });
      expect(unready).toMatchObject({ status: 'redis' });
      expect(await status(`${gateway.managementUrl}/livez`)).toBe(200);
      expect((await send(gateway, 'instant')).status).toBe(503);
      // Nobody can say whether this token is right: that is no 401.
      expect((await send(gateway, 'instant', { token: 'y'.repeat(40) })).status).toBe(503);
      await redis.restart();
      await gateway.ready();
      expect((await send(gateway, 'instant')).status).toBe(200);
    });
  });

  it('should let its runs finish on SIGTERM, and end with 0', async () => {
    const gateway = await start();
    const response = await send(gateway, 'deltas count=20 every=100', { verb: 'stream' });
    gateway.sigterm();
    await eventually('readyz says draining', async () => {
      const ready = await fetch(`${gateway.managementUrl}/readyz`);
      return ((await ready.json()) as { status: string }).status === 'draining';
    });
    const refused = await send(gateway, 'instant');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    const stream = await response.text();
    expect(stream).toContain('1.20');
    expect(stream).toContain('TASK_STATE_COMPLETED');
    expect(await within('the exit', 10_000, gateway.exited())).toBe(0);
  });

  it('should leave what does not finish in the drain time, and end with 0', async () => {
    const gateway = await start({ env: { NIGHTJAR_DRAIN_SECONDS: '1' } });
    const response = await send(gateway, 'hang', { verb: 'stream' });
    const blocking = send(gateway, 'hang');
    await eventually('both run', async () => (await gateway.metric('nightjar_active_runs')) === 2);
    gateway.sigterm();
    expect(await (await within('the send returns', 10_000, blocking)).json()).toMatchObject({
      task: { status: { state: 'TASK_STATE_WORKING' } },
    });
    const stream = await within('the stream ends', 10_000, response.text());
    expect(stream).not.toContain('TASK_STATE_COMPLETED');
    expect(await within('the exit', 10_000, gateway.exited())).toBe(0);
  });

  it('should end at once on a second signal', async () => {
    const gateway = await start();
    const response = await send(gateway, 'hang', { verb: 'stream' });
    gateway.sigterm();
    await eventually('it drains', () => gateway.logs.includes('"draining"'));
    gateway.sigterm();
    expect(await within('the exit', 5_000, gateway.exited())).toBe(143);
    await response.text().catch(() => undefined);
  });

  it('should warn when nobody can call', async () => {
    const issuer = { issuer: 'https://127.0.0.1:9', audiences: ['x'] };
    const oidc = [{ ...issuer, claims: { tenant: { value: 'acme' } } }];
    const [noTenant, noToken, vouched] = await Promise.all([
      start({ tenants: [], callers: [] }),
      start({ callers: [] }),
      // Somebody else's tokens will do.
      start({ callers: [], config: { auth: { oidc } } }),
    ]);
    await eventually('the warning', () => noTenant.logs.includes('no tenant is configured'));
    await eventually('the warning', () => noToken.logs.includes('no token exists'));
    expect(vouched.logs).toContain('listening');
    expect(vouched.logs).not.toContain('no token exists');
  });

  it('should have no route of a surface that is switched off, and probes where they are asked for', async () => {
    const paths = ['/.well-known/agent-card.json', '/a2a', '/mcp'];
    const answers = async (gateway: Gateway): Promise<number[]> =>
      Promise.all(
        paths.map((path) =>
          status(gateway.baseUrl + path, { headers: { 'x-user-token': ANN.token } }),
        ),
      );
    const [noMcp, none] = await Promise.all([
      start({
        config: { mcp: { enabled: false } },
        env: { NIGHTJAR_PROBES_ON_MAIN: 'true' },
      }),
      start({ config: { a2a: { enabled: false } } }),
    ]);
    expect(await answers(noMcp)).toEqual([200, 200, 404]);
    expect(await answers(none)).toEqual([404, 404, 404]);
    // Probes are on the main port where that is asked for; metrics never are.
    const probes = ['/livez', '/readyz', '/metrics'];
    const onMain = async ({ baseUrl }: Gateway): Promise<number[]> =>
      Promise.all(probes.map((path) => status(baseUrl + path)));
    expect(await onMain(noMcp)).toEqual([200, 200, 404]);
    expect(await onMain(none)).toEqual([404, 404, 404]);
  });

  it('should say all that is wrong with its configuration and end with 78', async () => {
    const gateway = await OwnedProcess.start(process.execPath, [ENTRY], {
      env: { HOST: '', PORT: 'x', NIGHTJAR_LEASE_MS: '1' },
    });
    expect(await within('the exit', 20_000, gateway.exited())).toBe(78);
    expect(gateway.logs.split('\n')).toEqual([
      'The configuration has 3 faults:',
      '  PORT (listen.port): must be a whole number, 0 to 65535',
      '  NIGHTJAR_LEASE_MS (execution.leaseMs): must be a whole number, 200 to 600000',
      '  redis.url: is required: set REDIS_URL, or start with nightjar serve',
      '',
    ]);
  });
});
