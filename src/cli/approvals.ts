import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { EXIT_UNAVAILABLE, EXIT_USAGE } from '../config/exit-code.js';
import type { PendingApproval } from '../store/redis-approval.store.js';
import { CliFailure } from './cli-failure.js';
import { findsRedis } from './common-options.js';
import { findRedis, type FindOptions } from './find-redis.js';
import { withRedis } from './redis-client.js';
import { visible } from './table.js';
import { jsonLine } from './terminal-text.js';

interface Flags extends FindOptions {
  readonly tenant: string;
  readonly as?: string;
  readonly json?: true;
}

/** Adds `nightjar approvals list | approve | refuse`. */
export function registerApprovals(program: Command): void {
  const approvals = program
    .command('approvals')
    .description('writes that wait for an operator (policy ask-operator)');
  const common = (command: Command): Command => findsRedis(command.requiredOption('--tenant <id>'));
  common(approvals.command('list'))
    .description('what waits now, the most urgent first')
    .option('--json', 'a line of JSON each')
    .action(list);
  for (const [name, decision] of [
    ['approve', 'approved'],
    ['refuse', 'refused'],
  ] as const) {
    common(approvals.command(name))
      .description(`${name} one; the first decision counts`)
      .argument('<id>', 'as `approvals list` shows it')
      .option('--as <name>', 'who decides, for the record and the answer; your login by default')
      .action((id: string, flags: Flags) => decide(id, decision, flags));
  }
}

async function list(flags: Flags): Promise<void> {
  const pending = await withRedis(findRedis(flags, process.env), ({ approvals }) =>
    approvals.pending(flags.tenant),
  );
  process.stdout.write(pending.map((one) => (flags.json ? json(one) : text(one))).join(''));
}

async function decide(id: string, decision: 'approved' | 'refused', flags: Flags): Promise<void> {
  const by = flags.as ?? userInfo().username;
  if (!/^[\x20-\x7e]{1,64}$/.test(by)) {
    throw new CliFailure(EXIT_USAGE, '--as: must be 1 to 64 printable ASCII characters');
  }
  const decided = await withRedis(findRedis(flags, process.env), async ({ approvals, note }) => {
    const outcome = await approvals.decide(flags.tenant, id, decision, by);
    const mine = outcome.ok && outcome.decision === decision && outcome.by === by;
    await note({
      tenant: flags.tenant,
      action: `approval.${decision}`,
      target: `approval/${id}`,
      outcome: mine ? 'ok' : 'FAILED_PRECONDITION',
      detail: `as ${by}`,
    });
    return outcome;
  });
  if (!decided.ok) {
    const why =
      decided.why === 'missing'
        ? 'there is no such request'
        : 'the run that asked for it is gone; nothing will be done';
    throw new CliFailure(EXIT_UNAVAILABLE, why);
  }
  if (decided.decision !== decision || decided.by !== by) {
    const who = decided.by === '' ? '' : ` by ${decided.by}`;
    throw new CliFailure(EXIT_UNAVAILABLE, `it is ${decided.decision} already${who}`);
  }
  process.stdout.write(`${decision} ${id}\n`);
}

function text({ id, user, expires, summary, taskId }: PendingApproval): string {
  const left = Math.max(0, Math.round((expires - Date.now()) / 1000));
  return `${id}  ${String(left)} s left  for ${visible(user)}, task ${taskId}\n  ${visible(summary)}\n`;
}

function json(pending: PendingApproval): string {
  return jsonLine(pending);
}
