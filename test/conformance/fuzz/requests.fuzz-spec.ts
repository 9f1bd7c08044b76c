import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../../support/a2a-client.js';
import { caller, Fleet, type Gateway } from '../../support/gateway.js';
import { RedisServer } from '../../support/redis-server.js';
import { faultOf } from './judge.js';
import { mutatedRequest } from './mutate.js';
import { type RawRequest, sendRaw, shown } from './raw-http.js';
import { adminTemplates, MANAGEMENT_TEMPLATES, publicTemplates } from './templates.js';

/** The same requests every time, unless `make fuzz` asks for others, and for longer. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_130);
const SECONDS = Number(process.env['FUZZ_SECONDS'] ?? 0);
const LANES = 8;
const REQUESTS = 250;
const ANSWER_MS = 20_000;
const ann = caller('acme', 'ann');
const ADMIN = `adm_${randomBytes(32).toString('base64url')}`;

let redis: RedisServer;
let fleet: Fleet;
let gateway: Gateway;

beforeAll(async () => {
  redis = await RedisServer.start();
  fleet = await Fleet.start(1, {
    redisUrl: redis.url,
    tenants: [{ id: 'acme' }],
    callers: [ann],
    env: {
      PUSH_KEY: randomBytes(32).toString('hex'),
      NIGHTJAR_MCP_MAX_WAIT_SECONDS: '5',
      NIGHTJAR_ADMIN_TOKEN: ADMIN,
    },
    config: {
      auth: { failuresPerMinute: 1_000_000 },
      push: {
        enabled: true,
        encryptionKey: { env: 'PUSH_KEY' },
        allowHttp: true,
        allowPrivate: ['127.0.0.1'],
      },
    },
  });
  gateway = fleet.gateways[0]!;
});
afterAll(async () => {
  await fleet.stop();
  await redis.stop();
});

/** HTTP that is broken by itself may be answered by closing the connection. */
function mayBeCut({ headers, length, method, target }: RawRequest): boolean {
  return (
    typeof length === 'number' ||
    method === 'BREW' ||
    method === 'get' ||
    !/^[\x21-\x7e]+$/.test(target) ||
    headers.some(
      ([name, value]) =>
        !/^[\w-]+$/.test(name) ||
        /[^\t\x20-\x7e\x80-\xff]/.test(value) ||
        ['upgrade', 'transfer-encoding', 'expect'].includes(name) ||
        value.length > 10_000,
    )
  );
}

function parameters(lane: number): fc.Parameters<unknown> {
  return {
    seed: SEED + lane,
    ...(SECONDS === 0
      ? { numRuns: REQUESTS }
      : { numRuns: 10_000_000, plugins: [fc.interruptAfterTimeLimit(SECONDS * 1000)] }),
  };
}

async function judge(
  port: number,
  request: RawRequest,
  listener: 'public' | 'management',
): Promise<void> {
  const response = await sendRaw(port, request, ANSWER_MS).catch((error: unknown) => {
    throw new Error(`${String(error)}: ${shown(request)}`);
  });
  if (response === undefined && mayBeCut(request)) return;
  const fault = faultOf(request, response, listener);
  if (fault !== undefined) throw new Error(`${fault}\nto ${shown(request)}`);
}

describe(`requests with something wrong about them, seed ${SEED}`, () => {
  it(
    'should each get an answer of their protocol, and nothing of the inside',
    async () => {
      const client = new A2aClient(gateway.baseUrl, ann.token);
      const parked = await client.send('ask');
      const done = await client.send('files 300000');
      const link = JSON.stringify(done).match(/artifacts\/([^"/]+)"/)![1]!;
      const known = {
        parked: parked.id,
        done: done.id,
        contextId: done.contextId,
        file: link,
      };
      const host = `127.0.0.1:${gateway.port}`;
      const templates = publicTemplates(known);
      for (const { method, target, headers, body } of templates) {
        // Each of them is fine as it stands; else the changes would prove little.
        const reply = await client.call(method, target, body, { ...headers });
        expect(reply.text, `${method} ${target}`).not.toMatch(
          /INVALID_PARAMS|PARSE_ERROR|INVALID_REQ/,
        );
      }
      const requests = mutatedRequest(templates, ann.token, host);
      await Promise.all(
        Array.from({ length: LANES }, (_, lane) =>
          fc.assert(
            fc.asyncProperty(requests, ({ request }) => judge(gateway.port, request, 'public')),
            parameters(lane),
          ),
        ),
      );
    },
    (SECONDS + 120) * 1000,
  );

  it('should get the same from the management listener', async () => {
    const host = `127.0.0.1:${gateway.managementPort}`;
    const requests = mutatedRequest(MANAGEMENT_TEMPLATES, ann.token, host);
    await fc.assert(
      fc.asyncProperty(requests, ({ request }) => {
        return judge(gateway.managementPort, request, 'management');
      }),
      { seed: SEED, numRuns: 300 },
    );
  }, 120_000);

  it(
    'should get the same from the admin API',
    async () => {
      const admin = new A2aClient(gateway.managementUrl, ADMIN);
      const done = await new A2aClient(gateway.baseUrl, ann.token).send('instant');
      const document = { sources: [{ type: 'demo', name: 'demo' }] };
      await admin.call('PUT', '/admin/v1/tenants/fuzzed', document);
      const made = await admin.call<{ id: string }>('POST', '/admin/v1/tokens', {
        ...{ tenant: 'fuzzed', user: 'bob' },
      });
      const templates = adminTemplates({ done: done.id }, made.body.id);
      for (const { method, target, body } of templates) {
        const { status, text } = await admin.call(method, target, body);
        expect([200, 404], `${method} ${target}: ${text}`).toContain(status);
      }
      const host = `127.0.0.1:${gateway.managementPort}`;
      const requests = mutatedRequest(templates, ADMIN, host);
      await Promise.all(
        Array.from({ length: LANES }, (_, lane) =>
          fc.assert(
            fc.asyncProperty(requests, ({ request }) => {
              const isAdmin = /^\/admin(\/|$)/.test(request.target);
              return judge(gateway.managementPort, request, isAdmin ? 'public' : 'management');
            }),
            parameters(lane + LANES),
          ),
        ),
      );
      expect(gateway.logs).not.toContain(ADMIN);
    },
    (SECONDS + 120) * 1000,
  );

  it('should leave a gateway that works, and that has logged no fault of its own', async () => {
    expect(gateway.exitCode).toBeUndefined();
    const done = await new A2aClient(gateway.baseUrl, ann.token).send('instant');
    expect(done.status.state).toBe('TASK_STATE_COMPLETED');
    const faults = gateway.logs.split('\n').filter((line) => line.includes('"level":"error"'));
    expect(faults.slice(0, 5)).toEqual([]);
    expect(gateway.logs).not.toContain(ann.token);
  });
});
