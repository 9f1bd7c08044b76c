import { type Command, InvalidArgumentError } from 'commander';
import { SYSTEM_TENANT } from '../auth/principal.js';
import { EXIT_USAGE } from '../config/exit-code.js';
import type { AuditEntry } from '../store/redis-audit.store.js';
import { CliFailure } from './cli-failure.js';
import { findsRedis } from './common-options.js';
import { findRedis, type FindOptions } from './find-redis.js';
import { withRedis } from './redis-client.js';
import { table } from './table.js';
import { momentOf } from './token-text.js';

interface Flags extends FindOptions {
  readonly tenant?: string;
  readonly since?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  readonly limit: number;
  readonly json?: true;
}

/** Adds `nightjar audit`. */
export function registerAudit(program: Command): void {
  findsRedis(program.command('audit'))
    .description('who did what, newest first')
    .option('--tenant <id>', 'of this tenant; of the installation itself otherwise')
    .option('--since <when>', 'a time back such as 90m, 12h, 7d, or a date')
    .option('--actor <who>', 'a user, admin:<user>, or cli:<login>')
    .option('--action <what>', 'such as task.cancel, or token. for all of tokens')
    .option('--target <what>', 'such as task/<id>')
    .option('--limit <number>', 'entries at most', limitOf, 100)
    .option('--json', 'a line of JSON each')
    .action(show);
}

async function show(flags: Flags): Promise<void> {
  const { tenant = '', actor, action, target, limit } = flags;
  const since = flags.since === undefined ? undefined : momentOf(flags.since, Date.now());
  if (since !== undefined && Number.isNaN(since)) {
    throw new CliFailure(EXIT_USAGE, `--since: '${flags.since ?? ''}' is neither 12h nor a date`);
  }
  const page = await withRedis(findRedis(flags, process.env), ({ audit }) =>
    audit.query({
      tenant: tenant === SYSTEM_TENANT ? '' : tenant,
      most: limit,
      ...(since === undefined ? {} : { since }),
      ...(actor === undefined ? {} : { actor }),
      ...(action === undefined ? {} : { action }),
      ...(target === undefined ? {} : { target }),
    }),
  );
  const text =
    flags.json === true
      ? page.entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
      : auditTable(page.entries);
  process.stdout.write(text);
}

function auditTable(entries: readonly AuditEntry[]): string {
  return table(
    ['TIME', 'ACTOR', 'TOKEN', 'ACTION', 'TARGET', 'OUTCOME', 'REQUEST'],
    entries.map(({ at, actor, token, action, target, outcome, requestId, detail }) => [
      new Date(at).toISOString(),
      actor === '' ? '-' : actor,
      token ?? '-',
      action,
      detail === undefined ? target : `${target} (${detail})`,
      outcome,
      requestId ?? '-',
    ]),
  );
}

function limitOf(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit;
  throw new InvalidArgumentError('It must be a whole number, 1 to 10000.');
}
