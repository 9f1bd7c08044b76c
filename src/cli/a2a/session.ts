import { detachNote, quoted, type Session } from './commands.js';
import { connect } from './connect.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { HumanOutput } from './human-output.js';
import { JsonOutput } from './json-output.js';
import type { Streams } from './output.js';

export interface CliEnvironment extends Streams {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts at Ctrl-C. */
  readonly interrupt: AbortSignal;
  readonly version: string;
}

/** The options that every command has. */
export interface CommonFlags {
  readonly server: string;
  readonly token?: string;
  readonly transport?: 'rest' | 'jsonrpc';
  readonly protocol: '1.0' | '0.3';
  readonly json?: true;
  readonly followCard?: true;
}

/** Connects, and chooses how results are shown. */
export async function openSession(
  environment: CliEnvironment,
  flags: CommonFlags,
): Promise<Session> {
  const output = flags.json === true ? new JsonOutput(environment) : new HumanOutput(environment);
  const connection = await connect({
    server: flags.server,
    token: flags.token ?? environment.env['NIGHTJAR_TOKEN'],
    transport: flags.transport,
    protocol: flags.protocol,
    followCard: flags.followCard ?? false,
    onRetry: (taskId) => {
      output.note(`The stream of task ${taskId} broke off; trying again`);
    },
  });
  return {
    ...connection,
    output,
    signal: environment.interrupt,
    commandLine: `a2a-cli --server ${quoted(flags.server)}`,
  };
}

/** Ctrl-C leaves the task alone and says how to come back. */
export async function attached(session: Session, run: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    if (!session.signal.aborted) throw error;
    session.output.note(detachNote(session));
    return EXIT.detached;
  }
}
