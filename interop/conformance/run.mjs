// make mcp-conformance: the MCP conformance suite against a gateway, in the revisions of both eras.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGateway } from '../gateway.mjs';

const HERE = import.meta.dirname;
const SUITE = join(HERE, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const REVISIONS = ['2025-11-25', '2026-07-28'];

/** The suite needs Node 22; one comes with it where this is an older one. */
function node() {
  if (Number(process.versions.node.split('.')[0]) >= 22) return process.execPath;
  const own = join(HERE, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
  if (existsSync(own)) return own;
  throw new Error('The MCP conformance suite needs Node 22 or newer');
}

/** The suite cannot send a token: this adds it. */
async function withToken(target, token) {
  const proxy = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const sent = request(new URL(asked.url, target), { method: asked.method, headers });
    sent.on('response', (response) => {
      answer.writeHead(response.statusCode, response.headers);
      response.pipe(answer);
    });
    sent.on('error', () => answer.destroy());
    answer.on('close', () => sent.destroy());
    asked.pipe(sent);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

const gateway = await startGateway();
const proxy = await withToken(gateway.url, gateway.tokens.demo);
const results = mkdtempSync(join(tmpdir(), 'nightjar-conformance-'));
let failed = 0;
try {
  for (const revision of REVISIONS) {
    const suite = spawn(
      node(),
      [
        ...[SUITE, 'server', '--url', `http://127.0.0.1:${proxy.address().port}/mcp`],
        ...['--suite', 'all', '--spec-version', revision, '--output-dir', results],
        ...['--expected-failures', join(HERE, `expected-${revision}.yaml`)],
      ],
      { cwd: results, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let text = '';
    suite.stdout.on('data', (piece) => (text += piece));
    const [code] = await once(suite, 'close');
    const baseline = readFileSync(join(HERE, `expected-${revision}.yaml`), 'utf8');
    const excused = baseline.split('\n').filter((line) => line.startsWith('  - ')).length;
    if (code !== 0) {
      failed += 1;
      console.log(text);
    } else console.log(text.slice(text.lastIndexOf('=== SUMMARY')));
    console.log(`MCP ${revision}: ${code === 0 ? 'ok' : 'FAILED'}, ${excused} expected failures\n`);
  }
} finally {
  proxy.closeAllConnections();
  proxy.close();
  gateway.stop();
  rmSync(results, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
