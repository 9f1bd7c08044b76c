#!/usr/bin/env node
import 'reflect-metadata';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config/config-error.js';
import { EXIT_CONFIG, EXIT_SOFTWARE, EXIT_USAGE } from '../config/exit-code.js';
import { registerApprovals } from './approvals.js';
import { CliFailure } from './cli-failure.js';
import { registerAudit } from './audit.js';
import { registerConfig } from './config.js';
import { registerDoctor } from './doctor.js';
import { registerMcpCommands } from './mcp-call.js';
import { registerMcpStdio } from './mcp-stdio.js';
import { registerServe } from './serve.js';
import { registerTasks } from './tasks.js';
import { registerTenant } from './tenant.js';
import { registerToken } from './token.js';
import { registerVersion } from './version.js';

const HELP = `
Exit codes: 64 wrong usage, 69 something needed is not there, 70 a bug, 78 a faulty configuration.`;

const program = new Command('nightjar')
  .description('a multi-tenant gateway that puts one ops assistant behind A2A and MCP')
  .addHelpText('after', HELP)
  .exitOverride();
registerServe(program);
registerToken(program);
registerApprovals(program);
registerTenant(program);
registerTasks(program);
registerAudit(program);
registerConfig(program);
registerDoctor(program);
registerMcpCommands(program);
registerMcpStdio(program);
registerVersion(program);

// A reader that has seen enough (head) is no error.
process.stdout.on('error', () => undefined);

try {
  await program.parseAsync();
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
