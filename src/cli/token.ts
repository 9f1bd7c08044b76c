import type { Command } from 'commander';
import { DEFAULT_OVERLAP_MS, type MadeToken } from '../admin/token-admin.js';
import { ADMIN_SCOPE, DEFAULT_SCOPES, SYSTEM_TENANT, TOKEN_SCOPES } from '../auth/principal.js';
import { addressesFault, labelFault, userFault } from '../config/dto/token.dto.js';
import { EXIT_USAGE } from '../config/exit-code.js';
import { tenantIdFault } from '../config/tenant-id.js';
import { scopesFault } from '../config/token-scopes.js';
import type { AuditEntry } from '../store/redis-audit.store.js';
import type { RedisTenantStore } from '../store/redis-tenant.store.js';
import { type TokenRecord, tokenId } from '../store/token.store.js';
import { CliFailure } from './cli-failure.js';
import { findsRedis } from './common-options.js';
import { findRedis, type FindOptions, type FoundRedis } from './find-redis.js';
import { withRedis } from './redis-client.js';
import { durationOf, expiryOf, tokenTable } from './token-text.js';

interface CreateFlags extends FindOptions {
  readonly tenant?: string;
  readonly user: string;
  readonly admin?: true;
  readonly label?: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly from?: string;
  readonly json?: true;
}

interface RotateFlags extends FindOptions {
  readonly overlap?: string;
  readonly expires?: string;
  readonly json?: true;
}

interface ListFlags extends FindOptions {
  readonly tenant?: string;
  readonly json?: true;
}

type AuditNote = Pick<AuditEntry, 'tenant' | 'action' | 'target'>;

/** Adds `nightjar token create | list | rotate | revoke`. */
export function registerToken(program: Command): void {
  const token = program.command('token').description('make, list, rotate and revoke tokens');
  findsRedis(token.command('create'))
    .description('make a token and print it, this once')
    .option('--tenant <id>', 'required, but for --admin')
    .requiredOption('--user <id>', 'owns what is done with the token')
    .option('--admin', 'for the admin API of the whole installation, and nothing else')
    .option('--label <text>', 'what the token is for')
    .option('--scopes <list>', `of ${TOKEN_SCOPES.join(',')}; default ${DEFAULT_SCOPES.join(',')}`)
    .option('--expires <when>', '90m, 12h, 30d, or a date such as 2027-01-31T00:00:00Z')
    .option('--from <list>', 'addresses and CIDRs from which alone it may be used')
    .option('--json', 'one line of JSON')
    .action(create);
  findsRedis(token.command('list'))
    .description('list tokens, without their secrets')
    .option('--tenant <id>', 'of this tenant only')
    .option('--json', 'a line of JSON each')
    .action(list);
  findsRedis(token.command('rotate'))
    .description('make a token in place of another, which works for a while longer')
    .argument('<id>', 'as `token list` shows it, or the token itself')
    .option('--overlap <time>', 'so long both work: 0m, 90m, 12h, 7d (default 24h)')
    .option('--expires <when>', 'of the new one; default: the lifetime of the old one')
    .option('--json', 'one line of JSON')
    .action(rotate);
  findsRedis(token.command('revoke'))
    .description('refuse a token from now on, everywhere within a second')
    .argument('<id>', 'as `token list` shows it, or the token itself')
    .action(revoke);
}

async function create(flags: CreateFlags): Promise<void> {
  const target = findRedis(flags, process.env);
  const tenant = tenantOf(flags);
  refuse('--user', userFault(flags.user));
  refuse('--label', labelFault(flags.label ?? ''));
  const wanted = {
    tenant,
    user: flags.user,
    label: flags.label,
    scopes: flags.admin === true ? [ADMIN_SCOPE] : scopesOf(flags.scopes),
    expires: expiryOf(flags.expires, Date.now()),
    addresses: addressesOf(flags.from),
  };
  const made = await withRedis(target, async ({ tokens, tenants, note }) => {
    await refuseUnknown(tenant, target, tenants);
    const token = await tokens.create(wanted);
    await note(noteOf('token.create', token.record));
    return token;
  });
  print(made, flags);
}

async function rotate(given: string, flags: RotateFlags): Promise<void> {
  const overlapMs = flags.overlap === undefined ? DEFAULT_OVERLAP_MS : durationOf(flags.overlap);
  if (overlapMs === undefined) refuse('--overlap', 'must be a time such as 90m, 12h or 7d');
  const expires = expiryOf(flags.expires, Date.now());
  const made = await withRedis(findRedis(flags, process.env), async ({ tokens, note }) => {
    const token = await tokens.rotate(given, {
      ...(overlapMs === undefined ? {} : { overlapMs }),
      ...(expires === undefined ? {} : { expires }),
    });
    await note(noteOf('token.rotate', token.old));
    return token;
  });
  const { old } = made;
  const until = new Date(old.expires ?? 0).toISOString();
  if (flags.json !== true) process.stderr.write(`${tokenId(old.sha256)} works until ${until}\n`);
  print(made, flags);
}

async function list(flags: ListFlags): Promise<void> {
  const target = findRedis(flags, process.env);
  const records = await withRedis(target, ({ tokens }) => tokens.list(flags.tenant));
  process.stdout.write(
    flags.json === true
      ? records
          .map((record) => `${JSON.stringify({ id: tokenId(record.sha256), ...record })}\n`)
          .join('')
      : tokenTable(records, Date.now()),
  );
}

async function revoke(given: string, flags: FindOptions): Promise<void> {
  const record = await withRedis(findRedis(flags, process.env), async ({ tokens, note }) => {
    const token = await tokens.revoke(given);
    await note(noteOf('token.revoke', token));
    return token;
  });
  process.stdout.write(`revoked ${tokenId(record.sha256)} (${record.tenant}/${record.user})\n`);
}

function print({ secret, record }: MadeToken, { json }: { readonly json?: true }): void {
  const { sha256, ...rest } = record;
  if (json === true) {
    process.stdout.write(`${JSON.stringify({ token: secret, id: tokenId(sha256), ...rest })}\n`);
    return;
  }
  process.stderr.write(`token ${tokenId(sha256)}, shown this once:\n`);
  process.stdout.write(`${secret}\n`);
}

function tenantOf({ tenant, admin, scopes }: CreateFlags): string {
  if (admin === true) {
    if (tenant !== undefined) refuse('--tenant', 'an admin’s token has none');
    if (scopes !== undefined) refuse('--scopes', 'an admin’s token has the scope admin alone');
    return SYSTEM_TENANT;
  }
  if (tenant === undefined) throw new CliFailure(EXIT_USAGE, '--tenant is required');
  refuse('--tenant', tenantIdFault(tenant));
  return tenant;
}

/** A tenant that neither the configuration names nor the admin API has made. */
async function refuseUnknown(
  tenant: string,
  { tenants: configured }: FoundRedis,
  stored: RedisTenantStore,
): Promise<void> {
  if (tenant === SYSTEM_TENANT || configured?.includes(tenant) !== false) return;
  const made = (await stored.list()).map(({ id }) => id);
  if (made.includes(tenant)) return;
  const all = [...configured, ...made];
  const known = all.length === 0 ? 'none is' : `there are ${all.join(', ')}`;
  throw new CliFailure(EXIT_USAGE, `--tenant: '${tenant}' is not configured; ${known}`);
}

function noteOf(action: string, { tenant, sha256 }: TokenRecord): AuditNote {
  return {
    tenant: tenant === SYSTEM_TENANT ? '' : tenant,
    action,
    target: `token/${tokenId(sha256)}`,
  };
}

function scopesOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const scopes = listOf(text);
  refuse('--scopes', scopes.includes(ADMIN_SCOPE) ? 'use --admin' : scopesFault(scopes));
  return scopes;
}

function addressesOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const addresses = listOf(text);
  refuse('--from', addressesFault(addresses));
  return addresses;
}

function listOf(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

function refuse(option: string, fault: string | undefined): void {
  if (fault !== undefined) throw new CliFailure(EXIT_USAGE, `${option}: ${fault}`);
}
