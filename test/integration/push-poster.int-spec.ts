import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Webhook } from '../../src/domain/webhook.js';
import { PushPoster } from '../../src/push/push-poster.js';
import { UrlGuard } from '../../src/outbound/url-guard.js';
import { HookServer } from '../support/hook-server.js';

const never = new AbortController().signal;
const body = { contentType: 'application/a2a+json', text: '{"task":{}}', eventId: '3-1' };

let hook: HookServer;
let poster: PushPoster | undefined;
let lookedUp: string[];

beforeEach(async () => {
  hook = await HookServer.start();
  lookedUp = [];
});
afterEach(async () => {
  await poster?.close();
  await hook.stop();
});

/** A poster for which every name leads to the next of these addresses. */
function posterOf(addresses: readonly (readonly string[])[], allowPrivate = ['127.0.0.1']) {
  const left = [...addresses];
  const guard = new UrlGuard({ allowHttp: true, allowPrivate }, (host) => {
    lookedUp.push(host);
    const now = left.shift() ?? [];
    return Promise.resolve(now.map((address) => ({ address, family: 4 })));
  });
  poster = new PushPoster(guard, 1000, 'Nightjar');
  return { guard, poster };
}

function webhook(over: Partial<Webhook> = {}): Webhook {
  const url = `http://hook.example.com:${hook.port}/hook`;
  return { id: 'h', url, version: '1.0', ...over };
}

describe('PushPoster', () => {
  it('should connect to the address that was checked, under the name', async () => {
    const { poster: post } = posterOf([['127.0.0.1']]);
    expect(await post.post(webhook(), body, never)).toMatchObject({ outcome: 'sent' });
    expect(hook.all[0]?.headers).toMatchObject({
      host: `hook.example.com:${hook.port}`,
      'x-nightjar-event-id': '3-1',
    });
    expect(hook.all[0]?.text).toBe(body.text);
    // Looked up once for the connection, and not again by anybody.
    expect(lookedUp).toEqual(['hook.example.com']);
  });

  it('should not connect where the name leads elsewhere since it was registered', async () => {
    // 127.0.0.1 is where the hook listens, and is not allowed here.
    const { guard, poster: post } = posterOf([['93.184.216.34'], ['127.0.0.1']], []);
    await guard.check(webhook().url);
    expect(await post.post(webhook(), body, never)).toMatchObject({ outcome: 'blocked' });
    expect(lookedUp).toHaveLength(2);
    expect(hook.all).toEqual([]);
  });

  it('should not connect at all when one of several addresses is private', async () => {
    const { poster: post } = posterOf([['127.0.0.1', '10.0.0.1']]);
    expect(await post.post(webhook(), body, never)).toMatchObject({ outcome: 'blocked' });
    expect(hook.all).toEqual([]);
  });

  it('should judge a stored literal again', async () => {
    const { poster: post } = posterOf([], []);
    const stored = webhook({ url: hook.url() });
    expect(await post.post(stored, body, never)).toMatchObject({ outcome: 'blocked' });
    expect(hook.all).toEqual([]);
  });

  it.each([
    [200, 'sent'],
    [204, 'sent'],
    [299, 'sent'],
    [301, 'http_error'],
    [307, 'http_error'],
    [400, 'http_error'],
    [404, 'http_error'],
    [410, 'gone'],
    [429, 'http_error'],
    [500, 'http_error'],
  ] as const)('should read %i as %s', async (status, outcome) => {
    hook.answer = () => (response) =>
      response.writeHead(status, { location: hook.url('/elsewhere') }).end();
    const { poster: post } = posterOf([['127.0.0.1']]);
    const posted = await post.post(webhook(), body, never);
    expect(posted).toEqual({ outcome, detail: `answered ${status}` });
    expect(hook.all).toHaveLength(1);
  });

  it('should tell a late, a cut and a refused connection apart, and no secret of any', async () => {
    const { poster: post } = posterOf([['127.0.0.1'], ['127.0.0.1'], ['127.0.0.1'], []]);
    const secret = webhook({ token: 'tok-secret' });
    hook.answer = () => () => undefined;
    const late = await post.post(secret, body, never);
    expect(late.outcome).toBe('timeout');
    hook.answer = () => (response) => response.destroy();
    const cut = await post.post(secret, body, never);
    expect(cut.outcome).toBe('network');
    const refused = await post.post({ ...secret, url: 'http://hook.example.com:1/' }, body, never);
    expect(refused.outcome).toBe('network');
    const broken = await post.post({ ...secret, token: 'tok-secret\r\nX-Evil: 1' }, body, never);
    expect(broken.outcome).toBe('network');
    for (const { detail } of [late, cut, refused, broken]) {
      expect(detail).not.toMatch(/secret|Evil/);
    }
    expect(hook.all.every(({ headers }) => headers['x-evil'] === undefined)).toBe(true);
  });

  it('should not trust a certificate that nobody has signed', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'nightjar-tls-'));
    const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
    execFileSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', key, '-out', cert, '-subj', '/CN=hook.example.com', '-days', '1'],
      ...['-addext', 'subjectAltName=DNS:hook.example.com'],
    ]);
    const taken: string[] = [];
    const server = createTlsServer(
      { key: readFileSync(key), cert: readFileSync(cert) },
      (request, response) => {
        taken.push(request.url ?? '');
        response.end();
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { poster: post } = posterOf([['127.0.0.1']]);
    const url = `https://hook.example.com:${port}/hook`;
    expect(await post.post(webhook({ url }), body, never)).toEqual({
      outcome: 'network',
      detail: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
    expect(taken).toEqual([]);
    server.close();
    rmSync(dir, { recursive: true });
  });
});
