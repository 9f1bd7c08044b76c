import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frame } from '../../src/assistant/assistant-backend.js';
import { BuiltinBackend } from '../../src/assistant/builtin/builtin-backend.js';
import { openSources } from '../../src/assistant/sources/tenant-sources.js';
import { readRunbook } from '../../src/assistant/tools/read-runbook.tool.js';
import { SourceReads } from '../../src/assistant/tools/source-reads.js';
import { toolsOf } from '../../src/assistant/tools/tool-registry.js';
import type { RunbooksConfig } from '../../src/config/config.types.js';
import { contentOf, turnOf } from '../support/fake-sources.js';

const signal = new AbortController().signal;
const PAGE = `<!doctype html><html><head><title>High error rate &amp; more</title><style>x{}</style></head>
<body><nav>Home</nav><h1>High error rate</h1><p>Check <b>checkout</b>&nbsp;first.</p>
<script>alert('no')</script><ul><li>restart &lt;pod&gt;</li></ul><!-- hidden --></body></html>`;

describe('pages of runbooks', () => {
  let server: Server;
  let base: string;
  const seen: string[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.url ?? ''} ${String(request.headers['x-wiki'])}`);
      switch (request.url) {
        case '/page':
          response.setHeader('content-type', 'text/html; charset=utf-8').end(PAGE);
          return;
        case '/long':
          response.setHeader('content-type', 'text/markdown').end('a'.repeat(3_000_000));
          return;
        case '/away':
          response.writeHead(302, { location: '/page' }).end();
          return;
        case '/binary':
          response.setHeader('content-type', 'application/zip').end('PK');
          return;
        case '/silent':
          return;
        default:
          response.writeHead(404).end();
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  function read(url: string, config: Partial<RunbooksConfig> = {}, offset = 0) {
    const runbooks = {
      hosts: ['127.0.0.1'],
      allowHttp: true,
      allowPrivate: ['127.0.0.0/8'],
      headers: { 'x-wiki': 'token' },
      timeoutMs: 500,
      ...config,
    };
    const sources = openSources([], { runbooks });
    const result = readRunbook.run({ url, offset }, { reads: new SourceReads(sources) }, signal);
    return result.finally(() => sources.close());
  }

  it('should be read as text, in pieces', async () => {
    const page = await read(`${base}/page#errors`);
    expect(page.title).toBe('High error rate & more');
    expect(page.text).toBe('# High error rate\n\nCheck checkout first.\n\n- restart <pod>');
    expect(seen).toContain('/page token');
    const long = await read(`${base}/long`, {}, 8000);
    expect(long).toMatchObject({ total_chars: 1024 * 1024, offset: 8000, has_more: true });
    expect(long.text).toHaveLength(8000);
  });

  it.each([
    ['another host', '', { hosts: ['runbooks.example.com'] }, /hosts name those/],
    ['an address inside', '/page', { allowPrivate: [] }, /must be at a public address/],
    ['plain http', '/page', { allowHttp: false }, /must be https/],
    ['a redirect', '/away', {}, /redirects elsewhere/],
    ['what is no text', '/binary', {}, /is no text/],
    ['a page that is not there', '/gone', {}, /HTTP 404/],
    ['a server that is silent', '/silent', {}, /did not answer in time/],
  ])('should not be read from %s', async (_, path, config, refusal) => {
    await expect(read(`${base}${path}`, config)).rejects.toThrow(refusal);
  });

  it('should be offered only where a host is open, and tools only as the tenant allows', async () => {
    const names = (sources: ReturnType<typeof openSources>) =>
      toolsOf(sources).map(({ name }) => name);
    expect(names(openSources([]))).not.toContain('read_runbook');
    const demo = [{ type: 'demo' as const, name: 'demo' }];
    const few = openSources(demo, { tools: ['count_alerts'] });
    expect(names(few)).toEqual(['count_alerts']);
    expect(names(few.seenBy({ busiGroups: [1] }))).toEqual(['count_alerts']);
    const answer = async (text: string): Promise<string> => {
      const frames: Frame[] = [];
      for await (const frame of new BuiltinBackend(few).run(turnOf(text), signal)) {
        frames.push(frame);
      }
      return contentOf(frames);
    };
    expect(await answer('how many alerts?')).toContain('6 alerts are firing');
    expect(await answer('what is firing?')).toContain('list_alerts is not open to this team');
  });
});
