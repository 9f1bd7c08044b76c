import { X509Certificate } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { request as plainRequest } from 'node:http';
import { request, type RequestOptions } from 'node:https';
import { connect as connectPlain, type AddressInfo } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { registerConfig } from '../../src/cli/config.js';
import { examineListener } from '../../src/cli/doctor/examine-listener.js';
import { ConfigError } from '../../src/config/config-error.js';
import { diskFiles } from '../../src/config/config-files.js';
import type { ListenTls } from '../../src/config/config.types.js';
import { certificateWarnings, readListenCertificate } from '../../src/config/listen-certificate.js';
import { metrics } from '../../src/metrics/metrics.js';
import { createHttpAdapter } from '../../src/protocols/http/http-adapter.js';
import { type Certificates, makeCertificates } from '../support/certificates.js';
import { caller, Fleet } from '../support/gateway.js';
import { nightjar } from '../support/nightjar-cli.js';
import { RedisServer } from '../support/redis-server.js';
import { eventually, within } from '../support/wait.js';
import { runA2aCli } from './a2a-cli-process.js';
import { a2aConfig } from './a2a-harness.js';

/** Far above what is waited for, and what a busy machine adds. */
const SOON_MS = 10_000;
const TIMES = { headers: 300, look: 50, handshake: 300, renew: 50 };

let certificates: Certificates;
let tls: ListenTls;

beforeAll(async () => {
  certificates = await makeCertificates();
  const { file } = certificates;
  tls = { cert: file('server.crt'), key: file('server.key'), minVersion: 'TLSv1.2' };
});
afterAll(() => certificates.remove());

describe('a listener with TLS', () => {
  let app: FastifyInstance;
  let port: number;
  let ca: string;
  let endStream = (): void => undefined;

  beforeAll(async () => {
    ca = await certificates.text('ca.crt');
    app = await listen('https://gw.example.com');
    port = portOf(app);
  });
  afterAll(() => app.close());

  async function listen(publicUrl: string): Promise<FastifyInstance> {
    const config = a2aConfig({ listen: { host: '127.0.0.1', port: 0, tls }, publicUrl });
    const made = createHttpAdapter(config, TIMES).getInstance<FastifyInstance>();
    made.get('/a2a/hello', (asked) => ({ protocol: asked.protocol }));
    made.get('/a2a/stream', async (_asked, reply) => {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.raw.write(': hi\n\n');
      await new Promise<void>((resolve) => (endStream = resolve));
      reply.raw.end('data: end\n\n');
    });
    await made.listen({ host: '127.0.0.1', port: 0 });
    return made;
  }

  /** A connection whose handshake is done. @throws Error when it fails. */
  async function handshake(options: ConnectionOptions = {}): Promise<TLSSocket> {
    const socket = connect({ port, host: '127.0.0.1', ca, ...options });
    await once(socket, 'secureConnect');
    return socket;
  }

  async function serial(): Promise<string> {
    const socket = await handshake();
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  }

  async function isCurrent(): Promise<boolean> {
    const { values } = await metrics.configIsCurrent.get();
    return values[0]?.value === 1;
  }

  it('should answer over TLS, know that it is, and promise it where the name is its own', async () => {
    const answer = await ask({ port, ca, path: '/a2a/hello' });
    expect(answer).toMatchObject({ status: 200, text: '{"protocol":"https"}' });
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    const shared = await listen('https://gw.example.com:17000');
    const other = await ask({ port: portOf(shared), ca, path: '/a2a/hello' });
    expect(other.status).toBe(200);
    expect(other.headers).not.toHaveProperty('strict-transport-security');
    await shared.close();
  });

  it('should refuse what is older than TLS 1.2, and weak ciphers', async () => {
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' } as const;
    await expect(handshake({ ...old, ciphers: 'DEFAULT:@SECLEVEL=0' })).rejects.toThrow(
      /alert protocol version/,
    );
    const ciphers = 'ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0';
    await expect(handshake({ maxVersion: 'TLSv1.2', ciphers })).rejects.toThrow(
      /handshake failure/,
    );
    const socket = await handshake({ maxVersion: 'TLSv1.2' });
    expect(socket.getProtocol()).toBe('TLSv1.2');
    socket.destroy();
  });

  it('should refuse to negotiate anew', async () => {
    const socket = await handshake({ maxVersion: 'TLSv1.2' });
    const failure = new Promise((resolve) => {
      socket.once('error', resolve);
      socket.renegotiate({}, (error) => {
        resolve(error);
      });
    });
    expect(await within('the refusal', SOON_MS, failure)).toBeInstanceOf(Error);
    socket.destroy();
  });

  it('should hang up on plain HTTP, and on a handshake that never comes', async () => {
    const refused = plainRequest({ port, host: '127.0.0.1', path: '/a2a/hello' }).end();
    const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toMatch(/ECONNRESET|HPE_INVALID_CONSTANT/);
    const silent = connectPlain(port, '127.0.0.1');
    silent.on('error', () => undefined).resume();
    await within('the end', SOON_MS, once(silent, 'close'));
  });

  it('should hang up on headers that trickle in', async () => {
    const socket = await handshake();
    let text = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    socket.write('GET /a2a/hello HTTP/1.1\r\n');
    const drip = setInterval(() => socket.write('X-A: a\r\n'), 20);
    await within('the end', SOON_MS, once(socket, 'close'));
    clearInterval(drip);
    expect(text).toMatch(/^HTTP\/1.1 408 /);
  });

  it('should take a renewed certificate while a stream stays open', async () => {
    const before = await serial();
    const stream = ask({ port, ca, path: '/a2a/stream' });
    const answer = within('the stream', SOON_MS, stream);
    metrics.certificateEnds.set(0);
    await certificates.renewServer();
    await eventually('the new certificate is shown', async () => (await serial()) !== before);
    expect(await isCurrent()).toBe(true);
    const { validTo } = new X509Certificate(await readFile(tls.cert));
    const { values } = await metrics.certificateEnds.get();
    expect(values).toEqual([{ value: Date.parse(validTo) / 1000, labels: {} }]);
    endStream();
    expect((await answer).text).toContain('data: end');
  });

  it('should keep the one before when the new one cannot be used, until it can', async () => {
    const before = await serial();
    const good = await readFile(tls.key);
    await copyFile(certificates.file('client.key'), tls.key);
    await eventually('it is noticed', async () => !(await isCurrent()));
    expect(await serial()).toBe(before);
    await writeFile(tls.key, good);
    await eventually('it is good again', isCurrent);
    expect(await serial()).toBe(before);
  });
});

describe('files that cannot be used', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  function faultsOf(settings: ListenTls): readonly string[] {
    try {
      readListenCertificate(settings, diskFiles);
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
    return [];
  }

  it('should be named, all of them', () => {
    const gone = certificates.file('server.crt') + '.gone';
    expect(faultsOf({ ...tls, cert: gone, key: gone })).toEqual([
      `listen.tls.cert: cannot read ${gone} (ENOENT)`,
      `listen.tls.key: cannot read ${gone} (ENOENT)`,
    ]);
    expect(faultsOf({ ...tls, cert: tls.key, key: tls.cert })).toEqual([
      'listen.tls.cert: must be a certificate in PEM',
      'listen.tls.key: must be a private key in PEM without a passphrase',
    ]);
    expect(faultsOf({ ...tls, key: certificates.file('client.key') })).toEqual([
      'listen.tls: the key must be that of the first certificate in cert, which is the server’s own',
    ]);
    expect(faultsOf(tls)).toEqual([]);
  });

  it('should be told of by config check, and clear listeners', async () => {
    const dir = certificates.dir;
    let shown = '';
    vi.stubEnv('HOST', '');
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      shown += String(text);
      return true;
    });
    const check = async (listen: object): Promise<string> => {
      shown = '';
      await writeFile(`${dir}/nightjar.yaml`, JSON.stringify({ listen }));
      const program = new Command('nightjar').exitOverride();
      registerConfig(program);
      const words = ['config', 'check', '--config', `${dir}/nightjar.yaml`];
      await program.parseAsync(words, { from: 'user' });
      return shown;
    };
    expect(await check({ host: '0.0.0.0' })).toContain(
      'warning: tokens come in clear to 0.0.0.0:17000',
    );
    expect(await check({ tls: { cert: 'server.crt', key: 'server.key' } })).toContain(
      'warning: the certificate expires soon',
    );
    await expect(check({ tls: { cert: 'server.key', key: 'server.key' } })).rejects.toThrow(
      ConfigError,
    );
  });

  it('should be told of by the doctor', () => {
    const examine = (settings: ListenTls): unknown[] =>
      examineListener(a2aConfig({ listen: { host: '0.0.0.0', port: 1, tls: settings } }));
    const finding = { check: 'tls', where: 'listen' };
    expect(examine(tls)).toMatchObject([{ ...finding, level: 'warning' }]);
    const fault = 'listen.tls.cert: must be a certificate in PEM';
    expect(examine({ ...tls, cert: tls.key })).toEqual([
      { ...finding, level: 'error', text: fault },
    ]);
  });

  it('should be warned of before their end, and where they are for another name', () => {
    const certificate = readListenCertificate(tls, diskFiles);
    const end = Date.parse(certificate.leaf.validTo);
    const { validFrom, validTo } = certificate.leaf;
    const warn = (publicUrl: string | undefined, now: number): string[] =>
      certificateWarnings(certificate, publicUrl, now);
    expect(warn('https://127.0.0.1:17000', end - 15 * 86_400_000)).toEqual([
      `the certificate is not valid before ${validFrom}`,
    ]);
    expect(warn('https://redis.internal', end - 1000)).toEqual([
      `the certificate expires soon: ${validTo}`,
    ]);
    expect(warn('https://other.example', end + 1000)).toEqual([
      `the certificate has expired: ${validTo}`,
      'the certificate is not for the host of publicUrl (https://other.example)',
    ]);
  });
});

describe('a gateway process', () => {
  it('should serve its clients over TLS, and not start where it must not', async () => {
    const redis = await RedisServer.start();
    const ann = caller('acme', 'ann');
    const env = { NODE_EXTRA_CA_CERTS: certificates.file('ca.crt'), NIGHTJAR_TOKEN: ann.token };
    const fleet = await Fleet.start(1, {
      tenants: [{ id: 'acme' }],
      callers: [ann],
      redisUrl: redis.url,
      config: { listen: { tls, insecure: false } },
    });
    try {
      const gateway = fleet.gateways[0]!;
      const url = `https://127.0.0.1:${gateway.port}`;
      const [sent, called, refused, broken] = await Promise.all([
        runA2aCli(['--server', url, 'send', 'instant'], { env }).ended,
        nightjar(['mcp', 'call', url, 'n9e_assistant', '{"message":"instant"}'], env),
        nightjar(['serve'], { HOST: '0.0.0.0', REDIS_URL: redis.url, NIGHTJAR_INSECURE: 'false' }),
        fleet
          .add({ NIGHTJAR_CONFIG: await brokenConfig(fleet.dir) })
          .then(() => 'it started')
          .catch((error: unknown) => {
            const { message, cause } = error as Error;
            return `${message}${(cause as Error).message}`;
          }),
      ]);
      expect(sent).toMatchObject({ code: 0 });
      expect(called).toMatchObject({ code: 0 });
      const ca = await certificates.text('ca.crt');
      const card = await ask({ port: gateway.port, ca, path: '/.well-known/agent-card.json' });
      expect(card.text).toContain(`"${url}/a2a`);
      expect(gateway.logs).toContain(`"url":"${url}"`);
      // No warning about TLS, but one about a certificate of two days.
      expect(gateway.logs).toContain('the certificate expires soon');
      expect(gateway.logs).not.toContain('in clear');
      expect(refused).toMatchObject({ code: 78 });
      expect(refused.stderr).toContain('tokens come in clear to 0.0.0.0:17000: set listen.tls');
      expect(broken).toContain('listen.tls.cert: must be a certificate in PEM');
      expect(broken).toContain('it ended with code 78');
    } finally {
      await fleet.stop();
      await redis.stop();
    }
  });

  async function brokenConfig(dir: string): Promise<string> {
    const path = `${dir}/broken.yaml`;
    await writeFile(path, JSON.stringify({ listen: { tls: { cert: tls.key, key: tls.key } } }));
    return path;
  }
});

function portOf(app: FastifyInstance): number {
  return (app.server.address() as AddressInfo).port;
}

function ask(options: RequestOptions): Promise<{
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}
