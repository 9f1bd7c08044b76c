import { createHash } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, start } from './process.mjs';

const ROOT = join(import.meta.dirname, '../..');
export const TOKEN = 'nj_bench_0123456789abcdef0123456789abcdef0123456789';

/** The token of a tenant's only user. */
export function tokenOf(tenant) {
  return tenant === 'bench' ? TOKEN : `${TOKEN}${tenant}`;
}

/** Quotas are on, and high: the bench must meet them, not fail by them. */
const LIMITS = {
  activePerUser: 100000,
  activePerTenant: 100000,
  streamsPerUser: 100000,
  streamsPerTenant: 100000,
};

/**
 * Starts one gateway by its production command, with the bench's module backend.
 * @param neighbours further tenants: id → limits, with `tokenOf(id)` as the token of each.
 */
export async function startGateway(redisUrl, { env = {}, limits = {}, neighbours = {} } = {}) {
  const port = await freePort();
  const management = await freePort();
  const dir = await mkdtemp(join(tmpdir(), 'nightjar-bench-'));
  const file = join(dir, 'nightjar.json');
  const tenants = Object.entries({ bench: limits, ...neighbours });
  const config = {
    tenants: tenants.map(([id, over]) => ({
      id,
      assistant: { backend: 'module', module: join(ROOT, 'bench/backend.mjs'), readOnly: true },
      limits: { ...LIMITS, ...over },
    })),
    tokens: tenants.map(([tenant]) => ({
      tenant,
      user: 'bench',
      sha256: createHash('sha256').update(tokenOf(tenant)).digest('hex'),
      label: 'bench',
    })),
  };
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config));
  const origin = `http://127.0.0.1:${port}`;
  const child = await start(process.execPath, [join(ROOT, 'dist/main.js')], {
    env: {
      NIGHTJAR_CONFIG: file,
      REDIS_URL: redisUrl,
      PORT: String(port),
      MANAGEMENT_PORT: String(management),
      NIGHTJAR_LOG_LEVEL: 'warn',
      ...env,
    },
    probe: async () =>
      (await fetch(`http://127.0.0.1:${management}/readyz`).catch(() => undefined))?.status === 200,
  });
  return { child, origin, management: `http://127.0.0.1:${management}` };
}

/** SendMessage over JSON-RPC 1.0. */
export function sendRequest(index, text, path = '/a2a/v1', token = TOKEN) {
  return {
    method: 'POST',
    path,
    headers: {
      'content-type': 'application/json',
      'a2a-version': '1.0',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: index,
      method: 'SendMessage',
      params: {
        message: {
          messageId: `m-${process.pid}-${index}-${Math.random()}`,
          role: 'ROLE_USER',
          parts: [{ text }],
        },
      },
    }),
  };
}

/** A completed task whose artifact says `text`; a fault in words, or undefined. */
export function verifyTask(answer, index, text) {
  if (answer.id !== index) return 'the answer has another id';
  const task = answer.result?.task;
  if (task?.status?.state !== 'TASK_STATE_COMPLETED') return 'the task is not completed';
  const parts = task.artifacts?.flatMap((artifact) => artifact.parts ?? []) ?? [];
  return parts.some((part) => part.text === text) ? undefined : 'the artifact is not there';
}
