import { CommanderError } from 'commander';
import { terminalText } from '../terminal-text.js';
import { CliError, EXIT, type ExitCode } from './exit-code.js';
import { buildProgram } from './program.js';
import type { CliEnvironment } from './session.js';
import { reasonOf } from '../../config/reason-of.js';

/** Runs one command line (without node and script) and says how the process should exit. */
export async function runA2aCli(
  args: readonly string[],
  environment: CliEnvironment,
): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = buildProgram(environment, (result) => {
    code = result;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { exitCode, message } = toCliError(error);
    environment.err(`a2a-cli: ${terminalText(message)}\n`);
    return exitCode;
  }
}

/** Our own error wherever the SDK has wrapped it; anything else is what the server refused. */
function toCliError(error: unknown): CliError {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof CliError) return at;
  }
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const message = reasonOf(cause);
  return new CliError(EXIT.refused, message, { cause: error });
}
