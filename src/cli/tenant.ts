import type { Command } from 'commander';
import { userFault } from '../config/dto/token.dto.js';
import { EXIT_USAGE } from '../config/exit-code.js';
import { tenantIdFault } from '../config/tenant-id.js';
import { CliFailure } from './cli-failure.js';
import { findsRedis } from './common-options.js';
import { findRedis, type FindOptions } from './find-redis.js';
import { loginName, withRedis } from './redis-client.js';
import { table } from './table.js';

interface Flags extends FindOptions {
  readonly user?: string;
  readonly reason?: string;
}

/** Adds `nightjar tenant list | suspend | resume`; the rest of it is the admin API's. */
export function registerTenant(program: Command): void {
  const tenant = program.command('tenant').description('look at tenants, suspend and resume them');
  findsRedis(tenant.command('list'))
    .description('tenants of the admin API, and everyone who is suspended')
    .action(list);
  findsRedis(tenant.command('suspend'))
    .description('refuse all calls and cancel all runs, everywhere within two seconds')
    .argument('<tenant>')
    .option('--user <id>', 'of this user alone')
    .option('--reason <text>', 'kept beside it', '')
    .action(suspend);
  findsRedis(tenant.command('resume'))
    .description('serve a suspended tenant or user again')
    .argument('<tenant>')
    .option('--user <id>', 'of this user alone')
    .action(resume);
}

async function list(flags: FindOptions): Promise<void> {
  const target = findRedis(flags, process.env);
  const [stored, suspensions] = await withRedis(target, ({ tenants }) =>
    Promise.all([tenants.list(), tenants.suspensions()]),
  );
  const configured = (target.tenants ?? []).filter((id) => !stored.some((one) => one.id === id));
  const stateOf = (id: string, state: string): string =>
    suspensions.some(({ tenant, user }) => tenant === id && user === undefined)
      ? 'suspended'
      : state;
  const rows = [
    ...configured.map((id) => [id, 'file', '-', stateOf(id, 'active')]),
    ...stored.map(({ id, version, state }) => [id, 'api', String(version), stateOf(id, state)]),
  ];
  process.stdout.write(table(['TENANT', 'ORIGIN', 'VERSION', 'STATE'], rows));
  if (suspensions.length === 0) return;
  const lines = suspensions.map(({ tenant, user, since, by, reason }) => [
    tenant,
    user ?? '(all)',
    new Date(since).toISOString(),
    by,
    reason,
  ]);
  process.stdout.write(`\n${table(['SUSPENDED', 'USER', 'SINCE', 'BY', 'REASON'], lines)}`);
}

async function suspend(tenant: string, flags: Flags): Promise<void> {
  await act(tenant, flags, 'suspend');
}

async function resume(tenant: string, flags: Flags): Promise<void> {
  await act(tenant, flags, 'resume');
}

async function act(tenant: string, flags: Flags, verb: 'suspend' | 'resume'): Promise<void> {
  const { user, reason = '' } = flags;
  refuse('<tenant>', tenantIdFault(tenant));
  if (user !== undefined) refuse('--user', userFault(user));
  const target = findRedis(flags, process.env);
  await withRedis(target, async ({ tenants, note }) => {
    const known = target.tenants?.includes(tenant) !== false || (await tenants.get(tenant));
    if (known === undefined) throw new CliFailure(EXIT_USAGE, `there is no tenant '${tenant}'`);
    if (verb === 'resume') await tenants.resume(tenant, user);
    else {
      const suspension = { tenant, since: Date.now(), by: loginName(), reason };
      await tenants.suspend(user === undefined ? suspension : { ...suspension, user });
    }
    const what = user === undefined ? 'tenant' : 'user';
    await note({ tenant, action: `${what}.${verb}`, target: `${what}/${user ?? tenant}` });
  });
  const whom = user === undefined ? tenant : `${tenant}/${user}`;
  process.stdout.write(`${verb === 'suspend' ? 'suspended' : 'resumed'} ${whom}\n`);
}

function refuse(option: string, fault: string | undefined): void {
  if (fault !== undefined) throw new CliFailure(EXIT_USAGE, `${option}: ${fault}`);
}
