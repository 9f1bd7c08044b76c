#!/usr/bin/env node
import { CommanderError } from 'commander';
import { ConfigError } from '../config/config-error.js';
import { EXIT_CONFIG, EXIT_SOFTWARE, EXIT_USAGE } from '../config/exit-code.js';
import { CliFailure } from './cli-failure.js';
import { nightjarProgram } from './nightjar-program.js';

// A reader that has seen enough (head) is no error.
process.stdout.on('error', () => undefined);

try {
  await nightjarProgram().parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof ConfigError) {
    process.stderr.write(`${error.toString()}\n`);
    return EXIT_CONFIG;
  }
  if (error instanceof CliFailure) {
    process.stderr.write(`nightjar: ${error.message}\n`);
    return error.exitCode;
  }
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`nightjar: ${what}\n`);
  return EXIT_SOFTWARE;
}
