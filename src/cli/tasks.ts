import type { Command } from 'commander';
import { EXIT_UNAVAILABLE, EXIT_USAGE } from '../config/exit-code.js';
import { OPERATOR } from '../domain/cancel-mark.js';
import type { TaskSummary } from '../store/redis-run.reader.js';
import { CliFailure } from './cli-failure.js';
import { findsRedis } from './common-options.js';
import { findRedis, type FindOptions } from './find-redis.js';
import { type Operator, withRedis } from './redis-client.js';
import { taskTable } from './task-table.js';

interface ListFlags extends FindOptions {
  readonly tenant?: string;
  readonly user?: string;
  readonly watch?: true;
  readonly json?: true;
}

interface CancelFlags extends FindOptions {
  readonly tenant: string;
}

const REFRESH_MS = 1000;
/** The instances force the end after ten seconds; then something is wrong. */
const CANCEL_MS = 15_000;
const SIGNAL_MS = 2000;
const LOOK_MS = 200;
/** Back to the top left corner, and nothing below what follows. */
const REDRAW = '\u001b[H\u001b[J';
const CLEAR = '\u001b[2J';

/** Adds `nightjar tasks [list | cancel]`. */
export function registerTasks(program: Command): void {
  const tasks = program.command('tasks').description('live tasks of all instances');
  findsRedis(tasks.command('list', { isDefault: true }))
    .description('running, queued and parked tasks, without what was said in them')
    .option('--tenant <id>', 'of this tenant only')
    .option('--user <id>', 'of this user only')
    .option('--watch', 'refresh every second, until Ctrl-C')
    .option('--json', 'a line of JSON each')
    .action(list);
  findsRedis(tasks.command('cancel'))
    .description('end a task of anybody, wherever it runs')
    .argument('<task>')
    .requiredOption('--tenant <id>')
    .action(cancel);
}

async function list(flags: ListFlags): Promise<void> {
  const target = findRedis(flags, process.env);
  await withRedis(target, async (operator) => {
    if (flags.watch === true) {
      await watch(() => live(operator, flags, target.tenants));
      return;
    }
    const found = await live(operator, flags, target.tenants);
    process.stdout.write(
      flags.json === true
        ? found.map((task) => `${JSON.stringify(task)}\n`).join('')
        : taskTable(found, Date.now()),
    );
  });
}

/** Draws the table again and again, until a signal. */
async function watch(read: () => Promise<TaskSummary[]>): Promise<void> {
  const end = new AbortController();
  let wake = (): void => undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      end.abort();
      wake();
    });
  }
  process.stdout.write(CLEAR);
  while (!end.signal.aborted) {
    const found = await read();
    process.stdout.write(`${REDRAW}${taskTable(found, Date.now(), process.stdout.rows)}`);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, REFRESH_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

async function live(
  { tenants, runs }: Operator,
  { tenant, user }: ListFlags,
  configured: readonly string[] | undefined,
): Promise<TaskSummary[]> {
  if (tenant !== undefined) return runs.live([tenant], user);
  const stored = (await tenants.list()).map(({ id }) => id);
  const known = [...new Set([...(configured ?? []), ...stored])];
  if (configured === undefined && known.length === 0) {
    throw new CliFailure(EXIT_USAGE, 'name a --tenant, or the --config that has the tenants');
  }
  return runs.live(known, user);
}

async function cancel(id: string, flags: CancelFlags): Promise<void> {
  const { tenant } = flags;
  const last = await withRedis(findRedis(flags, process.env), async ({ runs, note }) => {
    const found = await runs.find(tenant, id);
    if (found === undefined) throw new CliFailure(EXIT_UNAVAILABLE, 'there is no such task');
    const until = performance.now() + CANCEL_MS;
    let signalled = Number.NEGATIVE_INFINITY;
    let now: TaskSummary | undefined = found;
    while (now !== undefined && isLive(now) && performance.now() < until) {
      // A word to an instance may be lost: the mark lasts, the word is said again.
      if (performance.now() - signalled >= SIGNAL_MS) {
        await runs.cancel(now, OPERATOR);
        signalled = performance.now();
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      now = await runs.find(tenant, id);
    }
    await note({ tenant, action: 'task.cancel', target: `task/${id}` });
    return now;
  });
  if (last === undefined || !isLive(last)) {
    process.stdout.write(`${id} is ${last?.state.replace('TASK_STATE_', '') ?? 'gone'}\n`);
    return;
  }
  throw new CliFailure(EXIT_UNAVAILABLE, `${id} is marked, but no instance has ended it yet`);
}

function isLive({ state }: TaskSummary): boolean {
  return ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'AUTH_REQUIRED'].includes(
    state.replace('TASK_STATE_', ''),
  );
}
