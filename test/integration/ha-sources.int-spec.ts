import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isUndone, SourceError } from '../../src/assistant/sources/source-error.js';
import { openSources, type TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import { listAlerts } from '../../src/assistant/tools/list-alerts.tool.js';
import { queryMetrics } from '../../src/assistant/tools/query-metrics.tool.js';
import { SourceReads } from '../../src/assistant/tools/source-reads.js';
import { ConfigSource } from '../../src/config/config-source.js';
import type { HttpSourceConfig } from '../../src/config/config.types.js';
import { type Alertmanager, startAlertmanager } from '../support/alertmanager.js';
import { type Certificates, makeCertificates } from '../support/certificates.js';
import { contentOf, turnOf } from '../support/fake-sources.js';
import { startPrometheus } from '../support/prometheus.js';
import type { ServiceProcess } from '../support/service-process.js';
import { BuiltinBackend } from '../../src/assistant/builtin/builtin-backend.js';
import type { Frame } from '../../src/assistant/assistant-backend.js';

const signal = new AbortController().signal;
const http = { timeoutMs: 5000, maxBytes: 4_000_000, headers: {} };

function reads(sources: TenantSources) {
  return { reads: new SourceReads(sources) };
}

describe('an HA pair of Alertmanagers', () => {
  let one: Alertmanager;
  let two: Alertmanager;
  let sources: TenantSources;

  beforeAll(async () => {
    [one, two] = await Promise.all([startAlertmanager(), startAlertmanager()]);
    const shared = Array.from({ length: 2500 }, (_, n) => ({
      labels: { alertname: 'Shared', severity: 'warning', n: String(n) },
    }));
    await one.post(shared);
    await two.post([...shared, { labels: { alertname: 'OnlyTwo' } }]);
    sources = openSources([
      {
        ...http,
        type: 'alertmanager',
        name: 'am',
        url: one.url,
        peers: [two.url],
        webUrl: 'https://alerts.example.com',
      },
    ]);
  }, 60_000);
  afterAll(async () => {
    await sources.close();
    await Promise.all([one.stop(), two.stop()]);
  });

  it('should show each alert once, and what only one of them has', async () => {
    const all = await listAlerts.run({}, reads(sources), signal);
    expect(all).toMatchObject({ total: 2501, sources: [{ name: 'am', type: 'alertmanager' }] });
    expect(all.sources[0]).not.toHaveProperty('members_down');
    const where = [{ label: 'alertname', op: '=' as const, values: ['OnlyTwo'] }];
    expect((await listAlerts.run({ where }, reads(sources), signal)).total).toBe(1);
    const [health] = await sources.health(signal);
    expect(health).toMatchObject({ ok: true, text: expect.stringContaining('2 of 2') as string });
  });

  it('should give a silence to the one that answers, where nobody knows yet that the other hangs', async () => {
    const held = createHttpServer(() => undefined).listen(0, '127.0.0.1');
    await once(held, 'listening');
    const hung = `http://127.0.0.1:${String((held.address() as AddressInfo).port)}`;
    const silence = {
      matchers: [{ name: 'alertname', op: '=' as const, value: 'Hung' }],
      startsAt: Date.now(),
      endsAt: Date.now() + 60_000,
      createdBy: 'test',
      comment: 'hung',
    };
    const pairOf = (peers: readonly string[]) =>
      openSources([{ ...http, type: 'alertmanager', name: 'am', url: hung, peers }]);
    const [pair, both] = [pairOf([one.url]), pairOf([hung])];
    try {
      const id = await pair.all[0]!.silenceWrites!.create(silence);
      expect(await one.get('/silences')).toMatchObject([{ id, comment: 'hung' }]);
      await pair.all[0]!.silenceWrites!.expire(id);
      const failed: unknown = await both.all[0]!.silenceWrites!.create(silence).catch(
        (error: unknown) => error,
      );
      expect(failed instanceof SourceError && isUndone(failed)).toBe(true);
    } finally {
      await Promise.all([pair.close(), both.close()]);
      held.closeAllConnections();
      held.close();
    }
  });

  it('should answer while one is dead, name it, and create a silence once', async () => {
    await one.stop();
    const { total, sources: told } = await listAlerts.run({}, reads(sources), signal);
    expect(total).toBe(2501);
    expect(told).toMatchObject([
      { members_down: ['Alertmanager at am #1 could not be reached (ECONNREFUSED)'] },
    ]);
    const frames: Frame[] = [];
    const backend = new BuiltinBackend(sources);
    for await (const frame of backend.run(turnOf('how many alerts?'), signal)) frames.push(frame);
    expect(contentOf(frames)).toMatch(/2501 alerts are firing/);
    expect(contentOf(frames)).toContain('am #1');
    const [source] = sources.all;
    const id = await source!.silenceWrites!.create({
      matchers: [{ name: 'alertname', op: '=', value: 'OnlyTwo' }],
      startsAt: Date.now(),
      endsAt: Date.now() + 60_000,
      createdBy: 'test',
      comment: 'once',
    });
    expect(await two.get('/silences')).toMatchObject([{ id, comment: 'once' }]);
    const shown: Frame[] = [];
    for await (const frame of backend.run(turnOf('list silences'), signal)) shown.push(frame);
    const link = `[\`${id}\`](<https://alerts.example.com/#/silences/${id}>)`;
    expect(contentOf(shown)).toContain(link);
    await two.stop();
    const none = await listAlerts.run({}, reads(sources), signal);
    expect(none.sources[0]?.error).toContain('could not be reached');
  });
});

/** A TLS server that lets clients of the authority through to a plain one. */
async function tlsFront(target: string, certificates: Certificates): Promise<Server> {
  const { hostname, port } = new URL(target);
  const [key, cert, ca] = await Promise.all(
    (['server.key', 'server.crt', 'ca.crt'] as const).map((name) =>
      readFile(certificates.file(name)),
    ),
  );
  const options = { key, cert, ca, requestCert: true, rejectUnauthorized: true };
  const server = createServer(options as Parameters<typeof createServer>[0], (socket) => {
    const inner = connect(Number(port), hostname);
    socket.pipe(inner).pipe(socket);
    for (const end of [socket, inner]) end.on('error', () => end.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('a Prometheus pair behind TLS', () => {
  let certificates: Certificates;
  let other: Certificates;
  let prometheus: ServiceProcess;
  let front: Server;
  let url: string;

  beforeAll(async () => {
    [certificates, other] = await Promise.all([makeCertificates(), makeCertificates()]);
    prometheus = await startPrometheus();
    front = await tlsFront(prometheus.url, certificates);
    url = `https://127.0.0.1:${String((front.address() as AddressInfo).port)}`;
  }, 60_000);
  afterAll(async () => {
    front.close();
    await prometheus.stop();
    await Promise.all([certificates.remove(), other.remove()]);
  });

  async function ask(config: Partial<HttpSourceConfig>) {
    const sources = openSources([{ ...http, type: 'prometheus', name: 'prom', url, ...config }]);
    const result = await queryMetrics.run({ expr: '41 + 1' }, reads(sources), signal);
    const again = await queryMetrics.run({ expr: '41 + 1' }, reads(sources), signal);
    await sources.close();
    return [result, again] as const;
  }

  async function tlsOf(of: Certificates) {
    const [ca, cert, key] = await Promise.all(
      (['ca.crt', 'client.crt', 'client.key'] as const).map((name) => of.text(name)),
    );
    return { ca: ca!, cert: cert!, key: key! };
  }

  it('should be trusted by its own authority only, and show a client certificate', async () => {
    const tls = await tlsOf(certificates);
    const [right] = await ask({ tls });
    expect(right.series[0]?.value).toBe('42');
    const [stranger] = await ask({});
    expect(stranger.sources[0]?.error).toMatch(/could not be reached \((SELF_SIGNED|UNABLE)/);
    const [foreign] = await ask({ tls: { ...tls, ca: (await tlsOf(other)).ca } });
    expect(foreign.sources[0]?.error).toContain('could not be reached');
    const [nameless] = await ask({ tls: { ca: tls.ca } });
    expect(nameless.sources[0]?.error).toContain('could not be reached');
    const [misnamed] = await ask({ tls: { ...tls, serverName: 'elsewhere.example.com' } });
    expect(misnamed.sources[0]?.error).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it('should be asked at another member where the first is dead, which is named', async () => {
    const tls = await tlsOf(certificates);
    const dead = 'https://127.0.0.1:1';
    for (const result of await ask({ tls, url: dead, peers: [url] })) {
      expect(result.series[0]?.value).toBe('42');
      expect(result.sources[0]?.members_down).toEqual([
        'Prometheus at prom #1 could not be reached (ECONNREFUSED)',
      ]);
    }
    const [refused] = await ask({ tls, url, peers: [dead] });
    expect(refused.sources[0]).not.toHaveProperty('members_down');
  });

  it('should get a renewed authority without a restart', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'nj-ha-'));
    try {
      await cp(other.file('ca.crt'), join(dir, 'ca.crt'));
      const source = {
        type: 'prometheus',
        name: 'prom',
        urls: [url],
        tls: { ca: { file: 'ca.crt' } },
      };
      const yaml = {
        redis: { url: 'redis://127.0.0.1:1' },
        tenants: [{ id: 'acme', sources: [source] }],
      };
      await writeFile(join(dir, 'nightjar.yaml'), JSON.stringify(yaml));
      const live = new ConfigSource({ environment: {}, file: join(dir, 'nightjar.yaml') });
      const caOf = () => (live.config.tenants[0]?.sources[0] as HttpSourceConfig).tls?.ca;
      expect(`${caOf() ?? ''}\n`).toBe(await other.text('ca.crt'));
      expect(live.poll()).toBeUndefined();
      await cp(certificates.file('ca.crt'), join(dir, 'ca.crt'));
      expect(live.poll()).toBeDefined();
      expect(`${caOf() ?? ''}\n`).toBe(await certificates.text('ca.crt'));
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
