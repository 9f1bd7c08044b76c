import { createServer, type Server } from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.js';
import { nightjar } from '../support/nightjar-cli.js';
import { RemoteAgentServer, refusedWith } from '../support/remote-agent-server.js';
import { RedisServer } from '../support/redis-server.js';
import { TokenIssuer } from '../support/token-issuer.js';

interface Answer {
  readonly ok: boolean;
  readonly findings: readonly {
    readonly check: string;
    readonly where: string;
    readonly level: string;
    readonly text: string;
  }[];
}

describe('nightjar doctor', () => {
  let redis: RedisServer;
  let evicting: RedisServer;
  let model: Server;
  let dir: string;
  let file: string;

  beforeAll(async () => {
    redis = await RedisServer.start({ aof: true });
    evicting = await RedisServer.start({ flags: ['--maxmemory-policy', 'allkeys-lru'] });
    model = createServer((request, response) => {
      response.statusCode = request.headers.authorization === 'Bearer good' ? 404 : 401;
      response.end();
    }).listen(0, '127.0.0.1');
    await once(model, 'listening');
    dir = await mkdtemp(join(tmpdir(), 'nightjar-doctor-'));
    file = join(dir, 'nightjar.yaml');
    const { port } = model.address() as AddressInfo;
    const llm = (key: string): object => ({
      ...{ backend: 'llm', provider: 'openai-compatible', model: 'm' },
      ...{ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: { env: key } },
    });
    const document = {
      tenants: [
        { id: 'fit', sources: [{ type: 'demo', name: 'd' }], assistant: llm('GOOD') },
        {
          id: 'broken',
          sources: [{ type: 'prometheus', name: 'gone', url: 'http://127.0.0.1:1' }],
          assistant: llm('BAD'),
        },
      ],
    };
    await writeFile(file, JSON.stringify(document));
  });
  afterAll(async () => {
    model.close();
    await Promise.all([redis.stop(), evicting.stop()]);
    await rm(dir, { recursive: true, force: true });
  });

  it('should tell a person what is fit, and end with 0', async () => {
    const { code, stdout } = await nightjar(['doctor'], { REDIS_URL: redis.url, HOME: dir });
    expect(code).toBe(0);
    expect(stdout).toMatch(/ok +127\.0\.0\.1:\d+ {2}version +Redis 7/);
    expect(stdout).toMatch(/ok +rights {2}channels +what is published is delivered/);
    expect(stdout).toContain('fit: 0 error(s), 0 warning(s)');
  });

  it('should tell a program what is not: eviction, a source, a key', async () => {
    const env = { REDIS_URL: evicting.url, HOME: dir, GOOD: 'good', BAD: 'bad-key' };
    const { code, stdout } = await nightjar(['doctor', '--json', '--config', file], env);
    expect(code).toBe(69);
    const { ok, findings } = JSON.parse(stdout) as Answer;
    expect(ok).toBe(false);
    const wrong = findings.filter(({ level }) => level === 'error');
    expect(wrong.map(({ where, check }) => `${where} ${check}`)).toEqual([
      `127.0.0.1:${evicting.port} eviction`,
      'broken/gone prometheus',
      'broken/m model',
    ]);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'model', where: 'fit/m', level: 'ok' }),
    );
    expect(stdout).not.toContain('bad-key');
  });

  it('should say that a user without channels stores and never announces', async () => {
    const admin = redis.client();
    await admin.call('ACL', 'SETUSER', 'deaf', 'on', '>pw', '~*', 'resetchannels', '+@all');
    admin.disconnect();
    const env = { REDIS_URL: redis.url.replace('//', '//deaf:pw@'), HOME: dir };
    const { code, stdout } = await nightjar(['doctor'], env);
    expect(code).toBe(69);
    expect(stdout).toMatch(/ERROR +rights {2}channels +NOPERM/);
  });

  it('should ask each remote what it offers, and whether it takes the credentials', async () => {
    const agent = await RemoteAgentServer.start();
    agent.answer = (request, response) => {
      if (request.headers.authorization !== 'Bearer good') response.writeHead(401).end();
      else if (request.path !== '/rpc') response.writeHead(307, { location: '/rpc' }).end();
      else refusedWith(request, response, -32001, 'Task not found');
    };
    const astray = await RemoteAgentServer.start();
    astray.card = agent.cardOf({});
    const remote = (name: string, url: string, key: string, more: object = {}): object => ({
      ...{ name, url, allowPrivate: true, ...more },
      auth: { kind: 'bearer', token: { env: key } },
    });
    const path = join(dir, 'remotes.yaml');
    const sources = [{ type: 'demo', name: 'd' }];
    const remotes = [
      remote('fit', agent.url, 'GOOD'),
      remote('locked', agent.url, 'BAD'),
      remote('astray', astray.url, 'GOOD'),
      remote('gone', `http://127.0.0.1:${await freePort()}`, 'GOOD'),
      remote('inside', agent.url, 'GOOD', { allowPrivate: false }),
    ];
    const mcpServers = [remote('moved', `${agent.url}/mcp`, 'GOOD')];
    const tenants = [{ id: 'acme', sources, remotes, mcpServers }];
    await writeFile(path, JSON.stringify({ tenants }));
    const env = { REDIS_URL: redis.url, HOME: dir, GOOD: 'good', BAD: 'bad-key' };
    const { code, stdout } = await nightjar(['doctor', '--json', '--config', path], env);
    await Promise.all([agent.stop(), astray.stop()]);
    expect(code).toBe(69);
    const { findings } = JSON.parse(stdout) as Answer;
    const told = findings
      .filter(({ check }) => check === 'agent' || check === 'mcp server')
      .map(({ where, level, text }) => `${where} ${level}: ${text}`);
    expect(told).toEqual([
      'acme/fit ok: A2A 1.0 (JSONRPC), 1 skills',
      "acme/locked error: locked refused the gateway's credentials (HTTP 401)",
      'acme/astray error: astray was not called: its agent card names an address of another origin',
      'acme/gone error: gone could not be reached (ECONNREFUSED)',
      'acme/inside error: inside was not called: its url must be https',
      'acme/moved error: moved answered with a redirect (HTTP 307), which is not followed',
    ]);
    expect(stdout).not.toContain('bad-key');
  });

  it('should look whether issuers of access tokens say who they are, and give keys', async () => {
    const [good, strange, weak] = await Promise.all([
      TokenIssuer.start(),
      TokenIssuer.start(),
      TokenIssuer.start(),
    ]);
    strange.document = { issuer: 'https://other.example.com' };
    weak.keys = [{ kty: 'oct', k: 'AAAA' }];
    const introspection = { clientId: 'n', clientSecret: { env: 'OIDC_SECRET' } };
    const issuer = (of: TokenIssuer, userPrefix: string, more: object = {}): object => ({
      issuer: of.url,
      allowHttp: true,
      audiences: ['n'],
      claims: { tenant: { value: 'fit' }, userPrefix },
      ...more,
    });
    const oidc = [issuer(good, 'a-', { introspection }), issuer(strange, 'b-'), issuer(weak, 'c-')];
    const path = join(dir, 'issuers.yaml');
    const tenants = [{ id: 'fit', sources: [{ type: 'demo', name: 'd' }] }];
    await writeFile(path, JSON.stringify({ auth: { oidc }, tenants }));
    const env = { REDIS_URL: redis.url, HOME: dir, OIDC_SECRET: 'hush' };
    const { code, stdout } = await nightjar(['doctor', '--json', '--config', path], env);
    const { findings } = JSON.parse(stdout) as Answer;
    const of = ({ url }: TokenIssuer): string[] =>
      findings.filter(({ where }) => where === url).map(({ check, level }) => `${check} ${level}`);
    expect(code).toBe(69);
    expect(of(good)).toEqual(['discovery ok', 'keys ok', 'introspection ok']);
    expect(of(strange)).toEqual(['discovery error', 'keys error']);
    expect(of(weak)).toEqual(['discovery ok', 'keys error']);
    expect(stdout).not.toContain('hush');
    await Promise.all([good.stop(), strange.stop(), weak.stop()]);
  });

  it('should go on to the rest when Redis is away, and name no password', async () => {
    const env = {
      ...{ REDIS_URL: 'redis://:secret-word@127.0.0.1:1', HOME: dir },
      ...{ GOOD: 'good', BAD: 'x' },
    };
    const { code, stdout } = await nightjar(['doctor', '--json', '--config', file], env);
    expect(code).toBe(69);
    const { findings } = JSON.parse(stdout) as Answer;
    expect(findings[0]).toMatchObject({ check: 'connection', level: 'error' });
    expect(findings).toContainEqual(expect.objectContaining({ where: 'fit/d', level: 'ok' }));
    expect(stdout).not.toContain('secret-word');
  });
});
