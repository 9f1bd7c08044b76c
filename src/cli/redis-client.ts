import { userInfo } from 'node:os';
import { TokenAdmin } from '../admin/token-admin.js';
import type { RedisSettings } from '../config/config.types.js';
import { EXIT_UNAVAILABLE, EXIT_USAGE } from '../config/exit-code.js';
import { redactedRedisUrl } from '../config/redis-url.js';
import { DomainError } from '../domain/errors.js';
import { Keys } from '../redis/keys.js';
import { openRedis, type RedisClient } from '../redis/open-redis.js';
import { defineScripts } from '../redis/scripts.js';
import { RedisApprovalStore } from '../store/redis-approval.store.js';
import { type AuditBounds, type AuditEntry, RedisAuditStore } from '../store/redis-audit.store.js';
import { RedisChangeStore } from '../store/redis-change.store.js';
import { RedisRunReader } from '../store/redis-run.reader.js';
import { RedisTenantStore } from '../store/redis-tenant.store.js';
import { RedisTokenStore } from '../store/redis-token.store.js';
import { CliFailure } from './cli-failure.js';

const ONCE = { name: 'nightjar-cli', commandTimeoutMs: 5000, waits: false, reconnects: false };

/** What commands work with. */
export interface Operator {
  readonly tokens: TokenAdmin;
  readonly approvals: RedisApprovalStore;
  readonly tenants: RedisTenantStore;
  readonly runs: RedisRunReader;
  readonly audit: RedisAuditStore;
  /** Notes in the audit what was done at this terminal, under the login's name. */
  readonly note: (
    what: Omit<AuditEntry, 'at' | 'actor' | 'outcome'> & { outcome?: string },
  ) => Promise<void>;
}

/**
 * Connects once, without retries: whoever sits at the terminal wants to know now.
 * @throws CliFailure when Redis cannot be reached or refuses, and for every refusal by `use`.
 */
export async function withRedis<T>(
  settings: RedisSettings & { readonly audit: AuditBounds },
  use: (operator: Operator) => Promise<T>,
): Promise<T> {
  return connected(settings, (client) => {
    const keys = new Keys(settings.prefix);
    defineScripts(client);
    const audit = new RedisAuditStore(client, keys, settings.audit);
    return use({
      tokens: new TokenAdmin(new RedisTokenStore(client, keys), new RedisChangeStore(client, keys)),
      approvals: new RedisApprovalStore(client, keys),
      tenants: new RedisTenantStore(client, keys),
      runs: new RedisRunReader(client, keys),
      audit,
      note: (what) =>
        audit.append([{ at: Date.now(), actor: `cli:${loginName()}`, outcome: 'ok', ...what }]),
    });
  });
}

/** The same for what speaks to Redis itself. */
export async function connected<T>(
  settings: RedisSettings,
  use: (client: RedisClient) => Promise<T>,
): Promise<T> {
  const client = openRedis(settings, ONCE);
  let reason = '';
  client.on('error', (error: Error) => {
    reason = reasonOf(error);
  });
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    if (error instanceof CliFailure) throw error;
    if (error instanceof DomainError) throw refusalOf(error);
    if (reason === '' && error instanceof Error) reason = reasonOf(error);
    const text = `Redis at ${redactedRedisUrl(settings.url)}: ${reason}`;
    throw new CliFailure(EXIT_UNAVAILABLE, text, { cause: error });
  } finally {
    client.disconnect();
  }
}

/** A container's user may have no entry in its passwd. */
export function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

function refusalOf(error: DomainError): CliFailure {
  const missing = error.code === 'NOT_FOUND' || error.code === 'UNAVAILABLE';
  return new CliFailure(missing ? EXIT_UNAVAILABLE : EXIT_USAGE, error.message);
}

/** Of a Cluster none of whose nodes answers, ioredis keeps the last node's own error beside. */
function reasonOf(error: Error): string {
  const last: unknown = 'lastNodeError' in error ? error.lastNodeError : undefined;
  return last instanceof Error ? `${error.message} ${last.message}` : error.message;
}
