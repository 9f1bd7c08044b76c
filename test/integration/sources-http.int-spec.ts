import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { AlertmanagerSource } from '../../src/assistant/sources/alertmanager.source.js';
import { PrometheusSource } from '../../src/assistant/sources/prometheus.source.js';
import { SourceError } from '../../src/assistant/sources/source-error.js';
import type { HttpSourceConfig } from '../../src/config/config.types.js';
import { freePort } from '../support/service-process.js';

const NEVER = new AbortController().signal;
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

/** A source that answers as `handle` does; returns its URL. */
async function serve(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer(handle);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return `http://127.0.0.1:${String(address.port)}`;
}

function configOf(url: string, more: Partial<HttpSourceConfig> = {}): HttpSourceConfig {
  return {
    name: 'prod-am',
    url,
    timeoutMs: 2000,
    maxBytes: 100_000,
    headers: {},
    ...more,
  };
}

async function failureOf(url: string, more: Partial<HttpSourceConfig> = {}): Promise<string> {
  const source = new AlertmanagerSource(configOf(url, more));
  const error = await source.alerts.list(NEVER).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  await source.close();
  if (!(error instanceof SourceError)) throw new Error(`no SourceError but ${String(error)}`);
  return error.message;
}

describe('a source that fails', () => {
  it('should be said to be silent when it does not answer in time', async () => {
    const url = await serve(() => undefined);
    const start = performance.now();
    expect(await failureOf(url, { timeoutMs: 300 })).toBe(
      'Alertmanager at prod-am did not answer in 0.3 s',
    );
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('should be said to be silent when it sends its body too slowly', async () => {
    const url = await serve((_request, response) => {
      response.write('[');
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    expect(await failureOf(url, { timeoutMs: 400 })).toBe(
      'Alertmanager at prod-am did not answer in 0.4 s',
    );
  });

  it('should be said to be unreachable', async () => {
    const url = `http://127.0.0.1:${String(await freePort())}`;
    expect(await failureOf(url)).toBe(
      'Alertmanager at prod-am could not be reached (ECONNREFUSED)',
    );
  });

  it.each([
    [401, "refused the gateway's credentials (HTTP 401)"],
    [403, "refused the gateway's credentials (HTTP 403)"],
    [500, 'answered HTTP 500'],
    [502, 'answered HTTP 502'],
    [302, 'answered with a redirect (HTTP 302), which is not followed'],
  ])('should be told by its HTTP status %i', async (status, text) => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.writeHead(status, { location: '/elsewhere' }).end('<html>secret page</html>');
    });
    expect(await failureOf(url)).toBe(`Alertmanager at prod-am ${text}`);
    expect(asked).toBe(1);
  });

  it('should be refused when it sends more than is allowed', async () => {
    let sent = 0;
    const url = await serve((_request, response) => {
      const more = (): void => {
        sent += 16_384;
        if (sent < 50_000_000 && response.write(`"${'x'.repeat(16_382)}"`)) setImmediate(more);
        else response.once('drain', more);
      };
      response.write('[');
      more();
    });
    expect(await failureOf(url)).toBe(
      'Alertmanager at prod-am sent more than the 100000 bytes allowed',
    );
    expect(sent).toBeLessThan(20_000_000);
  });

  it.each([
    ['<html>login</html>', 'answered something that is not JSON'],
    ['{"a":1}', 'answered JSON of an unexpected shape (alerts is not a list)'],
    [
      '[{"labels":{"a":5}}]',
      'answered JSON of an unexpected shape (alert.status is not an object)',
    ],
  ])('should be told what is wrong with %s', async (body, text) => {
    const url = await serve((_request, response) => response.end(body));
    expect(await failureOf(url)).toBe(`Alertmanager at prod-am ${text}`);
  });

  it('should never show an address or a credential', async () => {
    const port = String(await freePort());
    const texts = [
      await failureOf(`http://user:hunter2@127.0.0.1:${port}/am`),
      await failureOf(`http://127.0.0.1:${port}`, { auth: { kind: 'bearer', token: 'hunter2' } }),
      await failureOf(
        (await serve((_request, response) =>
          response.writeHead(400).end('"bad http://user:hunter2@x/"'),
        )) + '/p',
      ),
    ];
    for (const text of texts) expect(text).not.toMatch(/hunter2|127\.0\.0\.1/);
    expect(texts[2]).toBe('Alertmanager at prod-am refused the request: bad http://x/');
  });

  it('should stop at once when the caller aborts', async () => {
    let closed = false;
    const url = await serve((request) => {
      request.on('close', () => {
        closed = true;
      });
    });
    const source = new AlertmanagerSource(configOf(url, { timeoutMs: 30_000 }));
    const stop = new AbortController();
    const asking = source.alerts.list(stop.signal);
    setTimeout(() => {
      stop.abort(new Error('canceled'));
    }, 50);
    await expect(asking).rejects.toThrow('canceled');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(closed).toBe(true);
    await source.close();
  });
});

describe('a source that answers', () => {
  it.each([
    [{ auth: { kind: 'basic', username: 'ann', password: 'p:w' } }, 'Basic YW5uOnA6dw=='],
    [{ auth: { kind: 'bearer', token: 'abc' } }, 'Bearer abc'],
    [{ headers: { Authorization: 'Custom x' } }, 'Custom x'],
    [{}, undefined],
  ] as const)('should get the credentials of %j', async (more, expected) => {
    let seen: IncomingMessage['headers'] = {};
    const url = await serve((request, response) => {
      seen = request.headers;
      response.end('[]');
    });
    const source = new AlertmanagerSource(
      configOf(url, {
        ...more,
        headers: { 'X-Scope-OrgID': 'tenant-7', ...('headers' in more ? more.headers : {}) },
      }),
    );
    expect(await source.alerts.list(NEVER)).toEqual([]);
    expect(seen.authorization).toBe(expected);
    expect(seen['x-scope-orgid']).toBe('tenant-7');
    await source.close();
  });

  it('should be asked under the path of its address', async () => {
    const paths: string[] = [];
    const url = await serve((request, response) => {
      paths.push(request.url ?? '');
      response.end('{"status":"success","data":{"resultType":"vector","result":[]}}');
    });
    const source = new PrometheusSource({ ...configOf(`${url}/prom/`) });
    await source.metrics.query('up{a="b c"}', 1_700_000_000_123, NEVER);
    expect(paths).toEqual(['/prom/api/v1/query?query=up%7Ba%3D%22b+c%22%7D&time=1700000000.123']);
    await source.close();
  });

  it('should hand on what Prometheus has against an expression', async () => {
    const url = await serve((_request, response) =>
      response
        .writeHead(400)
        .end('{"status":"error","errorType":"bad_data","error":"parse error: unexpected <eof>"}'),
    );
    const source = new PrometheusSource({ ...configOf(url), name: 'prom' });
    await expect(source.metrics.query('sum(', undefined, NEVER)).rejects.toThrow(
      'Prometheus at prom refused the request: parse error: unexpected <eof>',
    );
    await source.close();
  });

  it('should not confuse labels with what objects inherit', async () => {
    const alert = `{"fingerprint":"f","startsAt":"2026-11-30T09:00:00.123456789Z","status":{"state":"active","silencedBy":[],"inhibitedBy":[]},"receivers":[],"annotations":{},"labels":{"__proto__":"x","constructor":"y"}}`;
    const url = await serve((_request, response) => response.end(`[${alert}]`));
    const source = new AlertmanagerSource(configOf(url));
    const [read] = await source.alerts.list(NEVER);
    expect(Object.entries(read?.labels ?? {})).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    expect(read?.startsAt).toBe(Date.parse('2026-11-30T09:00:00.123Z'));
    await source.close();
  });
});
