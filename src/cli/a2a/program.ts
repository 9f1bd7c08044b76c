import { Command, Option } from 'commander';
import { cancel, get, list, send, type Session, subscribe } from './commands.js';
import { fetchCard } from './connect.js';
import { EXIT, EXIT_HELP, type ExitCode } from './exit-code.js';
import { type ListFlags, listQuery } from './list-query.js';
import { jsonLine } from '../terminal-text.js';
import { addWebhook, listWebhooks, removeWebhook } from './webhook-commands.js';
import { attached, type CliEnvironment, type CommonFlags, openSession } from './session.js';

interface SendFlags extends CommonFlags {
  readonly message?: string;
  readonly contextId?: string;
  readonly taskId?: string;
  readonly lang?: string;
  readonly timezone?: string;
  readonly stream: boolean;
  readonly get?: true;
}

/** The commands of a2a-cli; `finish` gets the exit code of the one that ran. */
export function buildProgram(
  environment: CliEnvironment,
  finish: (code: ExitCode) => void,
): Command {
  const program = new Command('a2a-cli')
    .description('Talk to an A2A agent: send a message and watch its task.')
    .version(environment.version)
    .exitOverride()
    .configureOutput({ writeOut: environment.out, writeErr: environment.err })
    .configureHelp({ showGlobalOptions: true })
    .option('--server <url>', 'base URL of the server', 'http://127.0.0.1:17000')
    .option('--token <token>', 'access token; NIGHTJAR_TOKEN is taken otherwise')
    .addOption(
      new Option('--transport <binding>', 'binding; the card’s first otherwise').choices([
        'rest',
        'jsonrpc',
      ]),
    )
    .addOption(
      new Option('--protocol <version>', 'A2A version').choices(['1.0', '0.3']).default('1.0'),
    )
    .option('--json', 'one JSON document a line, for programs')
    .option('--follow-card', 'send the token also to another origin that the agent card names')
    .addHelpText('after', EXIT_HELP);

  const sending = (command: Command): Command =>
    command
      .option('--message <text>', 'the message')
      .option('--context-id <id>', 'go on in this conversation')
      .option('--task-id <id>', 'answer the question of this task')
      .option('--lang <code>', 'language of the answer, e.g. zh_CN')
      .option('--timezone <name>', 'time zone of the answer, e.g. Asia/Shanghai')
      .option('--no-stream', 'wait for the answer in one piece')
      .option('--get', 'fetch the task again when it is done');
  const runSend = async (words: readonly string[], command: Command): Promise<void> => {
    const flags = command.optsWithGlobals<SendFlags>();
    const message = flags.message ?? words.join(' ');
    if (message.trim() === '') {
      command.error('error: a message is needed: --message <text>', { exitCode: EXIT.usage });
    }
    const session = await openSession(environment, flags);
    finish(
      await attached(session, () =>
        send(session, {
          message,
          contextId: flags.contextId,
          taskId: flags.taskId,
          lang: flags.lang,
          timezone: flags.timezone,
          stream: flags.stream,
          get: flags.get ?? false,
        }),
      ),
    );
  };
  // Commander has seen to it that what a command requires is there.
  const withSession =
    (
      run: (session: Session, first: string, second: string, command: Command) => Promise<ExitCode>,
    ) =>
    async (...given: readonly unknown[]): Promise<void> => {
      const command = given.at(-1) as Command;
      const [first = '', second = ''] = command.args;
      const session = await openSession(environment, command.optsWithGlobals<CommonFlags>());
      finish(await attached(session, () => run(session, first, second, command)));
    };

  sending(program).action(async (_flags: unknown, command: Command) => {
    if (command.optsWithGlobals<SendFlags>().message === undefined) command.help({ error: true });
    await runSend([], command);
  });
  sending(program.command('send').argument('[words...]', 'the message'))
    .description('send a message (the same as no command)')
    .action((words: readonly string[], _flags: unknown, command: Command) =>
      runSend(words, command),
    );
  program
    .command('subscribe')
    .description('follow a task that runs')
    .argument('<taskId>')
    .option('--last-event-id <id>', 'only what came after this event')
    .action(
      withSession((session, taskId, _none, command) =>
        subscribe(session, {
          taskId,
          lastEventId: command.opts<{ lastEventId?: string }>().lastEventId,
        }),
      ),
    );
  program.command('get').description('show a task').argument('<taskId>').action(withSession(get));
  program
    .command('cancel')
    .description('cancel a task')
    .argument('<taskId>')
    .action(withSession(cancel));
  program
    .command('list')
    .description('show your tasks, newest first')
    .option('--context-id <id>', 'only of this conversation')
    .option('--status <state>', 'only in this state, e.g. working or input-required')
    .option('--page-size <number>', 'at most so many')
    .option('--page-token <token>', 'the next page of an earlier list')
    .action(async (_flags: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags & ListFlags>();
      const query = listQuery(flags);
      const session = await openSession(environment, flags);
      finish(await attached(session, () => list(session, query)));
    });
  const webhook = program.command('webhook').description('webhooks of a task');
  webhook
    .command('add')
    .description('have a URL told what happens to a task from now on')
    .argument('<taskId>')
    .argument('<url>')
    .option('--id <id>', 'its name; the server makes one otherwise')
    .option('--notify-token <text>', 'sent with each notification as X-A2A-Notification-Token')
    .action(
      withSession((session, taskId, url, command) =>
        addWebhook(session, taskId, {
          url,
          ...command.opts<{ id?: string; notifyToken?: string }>(),
        }),
      ),
    );
  webhook
    .command('list')
    .description('show them; their tokens are never shown')
    .argument('<taskId>')
    .action(withSession(listWebhooks));
  webhook
    .command('remove')
    .description('tell one nothing more')
    .argument('<taskId>')
    .argument('<id>')
    .action(withSession(removeWebhook));
  program
    .command('card')
    .description('show the agent card')
    .action(async (_flags: unknown, command: Command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      const card = await fetchCard({ server: flags.server, followCard: flags.followCard ?? false });
      environment.out(jsonLine(card, flags.json === true ? 0 : 2));
    });
  return program;
}
