import type { Command } from 'commander';
import { TOKEN_SCOPES } from '../auth/principal.js';
import { userFault } from '../config/dto/token.dto.js';
import { EXIT_UNAVAILABLE, EXIT_USAGE } from '../config/exit-code.js';
import { tenantIdFault } from '../config/tenant-id.js';
import { generateToken, hashToken } from '../config/token-secret.js';
import type { TokenRecord } from '../store/token.store.js';
import { CliFailure } from './cli-failure.js';
import { findRedis, type FindOptions } from './find-redis.js';
import { withTokenStore } from './redis-client.js';
import { expiryOf, idOf, tokenTable } from './token-text.js';

interface CreateFlags extends FindOptions {
  readonly tenant: string;
  readonly user: string;
  readonly label?: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly json?: true;
}

interface ListFlags extends FindOptions {
  readonly tenant?: string;
  readonly json?: true;
}

const HEX_ID = /^[0-9a-f]{8,64}$/;

/** Adds `nightjar token create | list | revoke`. */
export function registerToken(program: Command): void {
  const token = program.command('token').description('make, list and revoke tokens in Redis');
  const common = (command: Command): Command =>
    command
      .option('--config <file>', 'YAML file; NIGHTJAR_CONFIG is taken otherwise')
      .option('--port <port>', 'of the launcher, when several run with an embedded Redis');
  common(token.command('create'))
    .description('make a token and print it, this once')
    .requiredOption('--tenant <id>')
    .requiredOption('--user <id>', 'owns what is done with the token')
    .option('--label <text>', 'what the token is for')
    .option('--scopes <list>', `of ${TOKEN_SCOPES.join(',')}; all of them by default`)
    .option('--expires <when>', '90m, 12h, 30d, or a date such as 2027-01-31T00:00:00Z')
    .option('--json', 'one line of JSON')
    .action(create);
  common(token.command('list'))
    .description('list tokens, without their secrets')
    .option('--tenant <id>', 'of this tenant only')
    .option('--json', 'a line of JSON each')
    .action(list);
  common(token.command('revoke'))
    .description('refuse a token from now on, everywhere within a second')
    .argument('<id>', 'as `token list` shows it, or the token itself')
    .action(revoke);
}

async function create(flags: CreateFlags): Promise<void> {
  const target = findRedis(flags, process.env);
  refuse('--tenant', tenantIdFault(flags.tenant));
  refuse('--user', userFault(flags.user));
  if (target.tenants?.includes(flags.tenant) === false) {
    const known =
      target.tenants.length === 0 ? 'none is' : `there are ${target.tenants.join(', ')}`;
    throw new CliFailure(EXIT_USAGE, `--tenant: '${flags.tenant}' is not configured; ${known}`);
  }
  const secret = generateToken();
  const expires = expiryOf(flags.expires, Date.now());
  const record: TokenRecord = {
    sha256: hashToken(secret),
    tenant: flags.tenant,
    user: flags.user,
    label: flags.label ?? '',
    scopes: scopesOf(flags.scopes),
    created: Date.now(),
    ...(expires === undefined ? {} : { expires }),
  };
  await withTokenStore(target, (store) => store.create(record));
  if (flags.json === true) {
    const { sha256, ...rest } = record;
    process.stdout.write(`${JSON.stringify({ token: secret, id: idOf(sha256), ...rest })}\n`);
    return;
  }
  process.stderr.write(`token ${idOf(record.sha256)}, shown this once:\n`);
  process.stdout.write(`${secret}\n`);
}

async function list(flags: ListFlags): Promise<void> {
  const target = findRedis(flags, process.env);
  const records = await withTokenStore(target, (store) => store.list(flags.tenant));
  process.stdout.write(
    flags.json === true
      ? records
          .map((record) => `${JSON.stringify({ id: idOf(record.sha256), ...record })}\n`)
          .join('')
      : tokenTable(records, Date.now()),
  );
}

async function revoke(given: string, flags: FindOptions): Promise<void> {
  const id = HEX_ID.test(given) ? given : hashToken(given);
  const record = await withTokenStore(findRedis(flags, process.env), async (store) => {
    const found = (await store.list()).filter(({ sha256 }) => sha256.startsWith(id));
    const [only, ...more] = found;
    if (only === undefined) {
      throw new CliFailure(EXIT_UNAVAILABLE, 'there is no such token in Redis');
    }
    if (more.length > 0) {
      throw new CliFailure(EXIT_USAGE, `${found.length} tokens start with ${id}: give more of it`);
    }
    await store.revoke(only.sha256, Date.now());
    return only;
  });
  process.stdout.write(`revoked ${idOf(record.sha256)} (${record.tenant}/${record.user})\n`);
}

function scopesOf(text: string | undefined): string[] {
  if (text === undefined) return [...TOKEN_SCOPES];
  const scopes = text.split(',').map((scope) => scope.trim());
  const known: readonly string[] = TOKEN_SCOPES;
  const wrong = scopes.find((scope) => !known.includes(scope));
  if (wrong !== undefined) {
    refuse('--scopes', `must be of ${TOKEN_SCOPES.join(',')}, not '${wrong}'`);
  }
  return [...new Set(scopes)];
}

function refuse(option: string, fault: string | undefined): void {
  if (fault !== undefined) throw new CliFailure(EXIT_USAGE, `${option}: ${fault}`);
}
