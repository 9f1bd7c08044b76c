import 'reflect-metadata';
import { Command } from 'commander';
import { registerApprovals } from './approvals.js';
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

/** The program `nightjar` with all its commands. */
export function nightjarProgram(): Command {
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
  return program;
}
