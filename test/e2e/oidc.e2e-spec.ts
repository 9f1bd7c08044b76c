import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
  UnauthorizedError as ModernUnauthorized,
} from '@modelcontextprotocol/client';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A2aClient } from '../support/a2a-client.js';
import { AuthorizationServer } from '../support/authorization-server.js';
import { Balancer } from '../support/balancer.js';
import { Fleet, type Gateway } from '../support/gateway.js';
import { nightjarOk } from '../support/nightjar-cli.js';
import { OAuthSession } from '../support/oauth-session.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, within } from '../support/wait.js';

const ADMIN = 'an-admin-token-of-the-oidc-tests-0001';
const NAME = { name: 'nightjar-test', version: '1.0.0' };

let redis: RedisServer;
let sso: AuthorizationServer;
let door: Balancer;
let spy: Spy;
let fleet: Fleet;
let gateways: readonly Gateway[];

beforeAll(async () => {
  [redis, door, spy] = await Promise.all([RedisServer.start(), Balancer.start(), Spy.start()]);
  sso = await AuthorizationServer.start({
    accounts: {
      ann: { groups: ['staff', 'ops-acme'] },
      bob: { groups: ['ops-acme'] },
      carol: { groups: ['ops-globex'] },
      dave: { groups: ['staff'] },
      wendy: { groups: ['ops-watched'] },
      rita: { groups: ['ops-rated'] },
    },
  });
  const groups = {
    ...{ 'ops-acme': 'acme', 'ops-globex': 'globex' },
    ...{ 'ops-watched': 'watched', 'ops-rated': 'rated' },
  };
  fleet = await Fleet.start(2, {
    redisUrl: redis.url,
    tenants: [
      { id: 'acme' },
      { id: 'globex' },
      { id: 'rated', limits: { requestsPerMinutePerToken: 1, requestBurstPerToken: 3 } },
      {
        id: 'watched',
        assistant: {
          backend: 'llm',
          provider: 'openai-compatible',
          baseUrl: `${spy.url}/v1`,
          model: 'm',
          fallback: 'builtin',
        },
        sources: [{ type: 'alertmanager', name: 'am', url: spy.url }],
      },
    ],
    callers: [],
    env: { NIGHTJAR_ADMIN_TOKEN: ADMIN },
    config: {
      publicUrl: door.url,
      auth: {
        oidc: [
          {
            issuer: sso.issuer,
            allowHttp: true,
            requireTyp: true,
            clockSkewSeconds: 0,
            claims: { tenant: { claim: 'groups', map: groups } },
          },
        ],
      },
    },
  });
  gateways = fleet.gateways;
  door.ports = gateways.map(({ port }) => port);
});
afterAll(async () => {
  await fleet.stop();
  await Promise.all([redis.stop(), sso.stop(), door.stop(), spy.stop()]);
});

/** Through both gateways by turns, as behind a proxy. */
const through = (token: string): A2aClient => new A2aClient(door.url, token);
const a2aToken = (account: string): Promise<string> =>
  new OAuthSession(account).authorize(`${door.url}/a2a`);

function mcpBody(message: string): Record<string, unknown> {
  const params = { name: 'n9e_assistant', arguments: { message } };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
}

/** Everything that a source or a model is sent. */
class Spy {
  readonly seen: string[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      let text = `${request.url ?? ''}\n${request.rawHeaders.join('\n')}\n`;
      request.on('data', (chunk: Buffer) => (text += chunk.toString()));
      request.on('end', () => {
        this.seen.push(text);
        const isModel = request.url?.startsWith('/v1') === true;
        response.writeHead(isModel ? 400 : 200, { 'content-type': 'application/json' });
        response.end(isModel ? '{}' : '[]');
      });
    });
  }

  static async start(): Promise<Spy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Spy(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const CALL = { name: 'n9e_assistant', arguments: { message: 'instant' } };

/** A client of one era that knows nothing but the URL. */
interface Discoverer {
  readonly Unauthorized: typeof UnauthorizedError | typeof ModernUnauthorized;
  /** @throws Unauthorized once the user has been sent to a login. */
  connect(): Promise<void>;
  finish(callback: URLSearchParams): Promise<void>;
  call(): Promise<object>;
  close(): Promise<void>;
}

type Fetch = typeof globalThis.fetch;

const ERAS: Readonly<Record<string, (session: OAuthSession, fetch: Fetch) => Discoverer>> = {
  '2025-11-25': (authProvider, fetch) => {
    const client = new Client(NAME);
    const url = new URL(`${door.url}/mcp`);
    const transport = new StreamableHTTPClientTransport(url, { authProvider, fetch });
    return {
      Unauthorized: UnauthorizedError,
      connect: () => client.connect(transport),
      finish: (callback) => transport.finishAuth(callback.get('code') ?? ''),
      call: () => client.callTool(CALL),
      close: () => client.close(),
    };
  },
  '2026-07-28': (authProvider, fetch) => {
    const client = new ModernClient(NAME, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const transport = new ModernHttp(new URL(`${door.url}/mcp`), { authProvider, fetch });
    return {
      Unauthorized: ModernUnauthorized,
      connect: () => client.connect(transport),
      finish: (callback) => transport.finishAuth(callback),
      call: () => client.callTool(CALL),
      close: () => client.close(),
    };
  },
};

describe.each(Object.entries(ERAS))('an MCP client of %s', (_era, open) => {
  it('should find its way from the 401 to a tool by itself', async () => {
    const session = new OAuthSession('ann');
    const asked: string[] = [];
    const fetch: Fetch = (input, init) => {
      asked.push(new URL(input instanceof Request ? input.url : input).pathname);
      return globalThis.fetch(input, init);
    };
    const first = open(session, fetch);
    await expect(first.connect()).rejects.toBeInstanceOf(first.Unauthorized);
    const { searchParams } = session.authorizationUrl!;
    expect(searchParams.get('resource')).toBe(`${door.url}/mcp`);
    // The least that works; the SDK adds what it needs for a refresh.
    expect(searchParams.get('scope')).toMatch(/^mcp(?: offline_access)?$/);
    expect(searchParams.get('code_challenge_method')).toBe('S256');
    await first.finish(await session.logIn());

    const second = open(session, fetch);
    await second.connect();
    const result = await second.call();
    expect(result).not.toMatchObject({ isError: true });
    expect(result).toMatchObject({ structuredContent: { status: 'completed' } });
    await second.close();
    expect(asked).toEqual(
      expect.arrayContaining([
        '/mcp',
        '/.well-known/oauth-protected-resource/mcp',
        '/.well-known/oauth-authorization-server',
        '/reg',
        '/token',
      ]),
    );
    expect(decodeJwt(session.token)).toMatchObject({ sub: 'ann', aud: `${door.url}/mcp` });
  });
});

describe('what is said to a client without a right token', () => {
  it.each(['mcp', 'a2a'])('should lead to the metadata of /%s', async (surface) => {
    const path = surface === 'mcp' ? '/mcp' : '/a2a/v1';
    const client = new A2aClient(door.url, undefined);
    const body = surface === 'mcp' ? mcpBody('x') : { jsonrpc: '2.0', id: 1, method: 'ListTasks' };
    const refused = await client.call('POST', path, body as never);
    const metadata = `${door.url}/.well-known/oauth-protected-resource/${surface}`;
    expect(refused.status).toBe(401);
    expect(refused.headers['www-authenticate']).toBe(
      `Bearer realm="nightjar", scope="${surface}", resource_metadata="${metadata}"`,
    );
    expect((await client.call('GET', new URL(metadata).pathname)).body).toEqual({
      resource: `${door.url}/${surface}`,
      authorization_servers: [sso.issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: [surface],
      resource_name: 'Nightjar',
    });
    const wrong = await new A2aClient(door.url, 'x'.repeat(40)).call('POST', path, body as never);
    expect(wrong.headers['www-authenticate']).toContain('error="invalid_token"');
  });

  it('should be in the agent cards of both versions', async () => {
    const client = new A2aClient(door.url, undefined);
    const openIdConnectUrl = `${sso.issuer}/.well-known/openid-configuration`;
    const card = async (version: string) =>
      (
        await client.call('GET', '/.well-known/agent-card.json', undefined, {
          'a2a-version': version,
        })
      ).body;
    expect(await card('1.0')).toMatchObject({
      securitySchemes: { oidc: { openIdConnectSecurityScheme: { openIdConnectUrl } } },
      securityRequirements: expect.arrayContaining([
        { schemes: { oidc: { list: ['a2a'] } } },
      ]) as unknown,
    });
    expect(await card('0.3')).toMatchObject({
      securitySchemes: { oidc: { type: 'openIdConnect', openIdConnectUrl } },
      security: expect.arrayContaining([{ oidc: ['a2a'] }]) as unknown,
    });
  });
});

describe('a token', () => {
  it('should be good for the resource that it was made for, and no other', async () => {
    const mcp = await new OAuthSession('ann').authorize(`${door.url}/mcp`);
    const a2a = await a2aToken('ann');
    const statuses = async (token: string) => [
      (await through(token).call('GET', '/a2a/tasks')).status,
      (await through(token).call('POST', '/mcp', mcpBody('instant') as never)).status,
    ];
    expect(await statuses(mcp)).toEqual([401, 200]);
    expect(await statuses(a2a)).toEqual([200, 401]);
    expect(await statuses(await new OAuthSession('ann').authorize(door.url))).toEqual([200, 200]);
    const elsewhere = await sso.tokenFor('ann', 'http://other.example.com/a2a', 'a2a mcp');
    expect(decodeJwt(elsewhere).aud).toBe('http://other.example.com/a2a');
    expect(await statuses(elsewhere)).toEqual([401, 401]);
    // Nor for the admin API, which is another listener's.
    const admin = await fetch(`${gateways[0]!.managementUrl}/admin/v1/tenants`, {
      headers: { authorization: `Bearer ${await new OAuthSession('ann').authorize(door.url)}` },
    });
    expect(admin.status).toBe(401);
  });

  it('should open only what its scope names, and be told which one is missing', async () => {
    const token = await sso.tokenFor('ann', door.url, 'a2a');
    expect((await through(token).call('GET', '/a2a/tasks')).status).toBe(200);
    const refused = await through(token).call('POST', '/mcp', mcpBody('instant') as never);
    expect(refused.status).toBe(403);
    expect(refused.headers['www-authenticate']).toBe(
      `Bearer realm="nightjar", error="insufficient_scope", scope="mcp", resource_metadata="${door.url}/.well-known/oauth-protected-resource/mcp"`,
    );
  });

  it('should be of no use where its groups lead to no tenant', async () => {
    const refused = await through(await a2aToken('dave')).call('GET', '/a2a/tasks');
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('lead to no tenant here');
  });
});

describe('a subject', () => {
  it('should keep its tasks when its token is refreshed, and show them to nobody else', async () => {
    const session = new OAuthSession('ann');
    const old = await session.authorize(`${door.url}/a2a`);
    const task = await through(old).send('instant', { contextId: 'oidc-chat' });
    const parked = await through(old).send('ask', { contextId: 'oidc-open' });

    const next = await session.authorize(`${door.url}/a2a`);
    expect(next).not.toBe(old);
    expect(await through(next).get(task.id)).toEqual(await through(old).get(task.id));
    const answered = await through(next).send('this one', { taskId: parked.id });
    expect(answered.status.state).toBe('TASK_STATE_COMPLETED');
    const turn = await through(next).send('instant', { contextId: 'oidc-chat' });
    expect(turn.metadata).toMatchObject({ 'n9e.seq_id': 2 });

    for (const account of ['bob', 'carol']) {
      const other = through(await a2aToken(account));
      for (let each = 0; each < 2; each += 1) {
        expect((await other.call('GET', `/a2a/tasks/${task.id}`)).status).toBe(404);
        expect((await other.list('?contextId=oidc-chat')).tasks).toEqual([]);
      }
    }
    const audit = await eventually('the audit has it', async () => {
      const args = ['audit', '--tenant', 'acme', '--actor', 'oidc-ann', '--json'];
      const lines = await nightjarOk(args, { REDIS_URL: redis.url });
      return lines.includes(task.id) && lines;
    });
    const tokens = audit
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly token: string }).token);
    // Two clients of hers have called; refreshing made no third.
    expect(tokens[0]).toMatch(/^oidc-[0-9a-f]{16}$/);
  });
});

describe('what a subject uses', () => {
  it('should count as its own, over all its tokens and both instances', async () => {
    const tokens = await Promise.all(
      [1, 2].map(() => sso.tokenFor('rita', `${door.url}/a2a`, 'a2a')),
    );
    const [one, two] = tokens as [string, string];
    expect(one).not.toBe(two);
    for (const token of [one, two]) {
      const task = await through(token).send('instant');
      expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    }
    const admin = new A2aClient(gateways[0]!.managementUrl, ADMIN);
    await eventually('the usage is there', async () => {
      const { body } = await admin.call('GET', '/admin/v1/tenants/rated/usage');
      const { usage } = body as { usage: { user: string; tasks: number }[] };
      return usage.length === 1 && usage[0]?.user === 'oidc-rita' && usage[0].tasks === 2;
    });
    // A refreshed token is no new one to a limit.
    expect((await through(two).call('GET', '/a2a/tasks')).status).toBe(200);
    for (const token of [one, two, await sso.tokenFor('rita', `${door.url}/a2a`, 'a2a')]) {
      const refused = await through(token).call('GET', '/a2a/tasks');
      expect(refused.status).toBe(429);
      expect(refused.headers['ratelimit-policy']).toContain('requests_token');
    }
  });
});

describe('a token that expires', () => {
  it('should be cut off from its streams and open calls, while the run goes on', async () => {
    const token = await sso.tokenFor('ann', `${door.url}/a2a`, 'a2a', 4);
    const { exp = 0 } = decodeJwt(token);
    const [one, two] = gateways.map(({ baseUrl }) => new A2aClient(baseUrl, token));
    const stream = await one!.stream('hang');
    await stream.until(2);
    const waiting = two!.sendRaw('hang').then(
      () => 'answered',
      () => 'cut',
    );
    const { data } = stream.events[0]!;
    if (!('task' in data)) throw new Error('the first event is no task');
    await within(
      'the stream is cut',
      20_000,
      stream.ended.catch(() => undefined),
    );
    expect(await within('the call is cut', 10_000, waiting)).toBe('cut');
    expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000);
    expect((await one!.call('GET', '/a2a/tasks')).status).toBe(401);
    const again = through(await a2aToken('ann'));
    expect(await again.state(data.task.id)).toBe('TASK_STATE_WORKING');
    await again.cancel(data.task.id);
  });
});

describe('a caller’s token', () => {
  it('should go to no source and to no model', async () => {
    const token = await a2aToken('wendy');
    const task = await through(token).send('what is firing?');
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const mcp = await new OAuthSession('wendy').authorize(`${door.url}/mcp`);
    await through(mcp).call('POST', '/mcp', mcpBody('what is firing?') as never);
    expect(spy.seen.some((text) => text.startsWith('/v1/'))).toBe(true);
    expect(spy.seen.some((text) => text.startsWith('/api/v2/alerts'))).toBe(true);
    for (const secret of [token, mcp]) {
      const parts = [secret, ...secret.split('.')];
      expect(spy.seen.filter((text) => parts.some((part) => text.includes(part)))).toEqual([]);
    }
    expect(gateways.map(({ logs }) => logs).join()).not.toContain(token);
  });
});

describe('without the issuer', () => {
  it('should take tokens of keys that are known, and say of others that it cannot tell', async () => {
    const token = await a2aToken('ann');
    await sso.stop();
    for (const { baseUrl } of gateways) {
      expect((await new A2aClient(baseUrl, token).call('GET', '/a2a/tasks')).status).toBe(200);
      const { privateKey } = await generateKeyPair('RS256');
      const unknown = await new SignJWT(decodeJwt(token))
        .setProtectedHeader({ alg: 'RS256', kid: 'two', typ: 'at+jwt' })
        .sign(privateKey);
      const client = new A2aClient(baseUrl, unknown);
      const refused = await eventually(
        'it has asked',
        async () => {
          const reply = await client.call('GET', '/a2a/tasks');
          return reply.status === 503 && reply;
        },
        15_000,
        250,
      );
      expect(refused.headers['retry-after']).toBe('2');
      expect(refused.body).toMatchObject({ error: { status: 'UNAVAILABLE' } });
    }
  });
});
