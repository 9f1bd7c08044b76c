import { once } from 'node:events';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { Command } from 'commander';
import { EXIT_USAGE } from '../config/exit-code.js';
import { CliError } from './a2a/exit-code.js';
import { CliFailure } from './cli-failure.js';
import { Launcher } from './launch/launcher.js';
import { planLaunch } from './launch/plan.js';
import { endpointOf } from './mcp-call.js';
import { StdioBridge } from './stdio-bridge.js';

const HELP = `
Environment:
  NIGHTJAR_URL    the gateway, e.g. https://nightjar.example.com; without it, a private gateway with
                  demo data is started and ends with this command (needs redis-server)
  NIGHTJAR_TOKEN  the token for it`;

/** Adds `nightjar mcp-stdio`: MCP on standard input and output, for clients of this machine. */
export function registerMcpStdio(program: Command): void {
  program
    .command('mcp-stdio')
    .description('MCP over stdio for a local client, answered by a gateway')
    .argument(
      '[url]',
      'the gateway; /mcp is added to a bare origin; NIGHTJAR_URL is taken otherwise',
    )
    .addHelpText('after', HELP)
    .action(async (given: string | undefined) => {
      const { env } = process;
      const url = given ?? env['NIGHTJAR_URL'] ?? '';
      if (url === '') return withOwnGateway(env);
      const token = env['NIGHTJAR_TOKEN'];
      if (token === undefined || token === '') {
        throw new CliFailure(EXIT_USAGE, 'NIGHTJAR_TOKEN must hold a token of that gateway');
      }
      return bridge(endpoint(url), token);
    });
}

function endpoint(url: string): URL {
  try {
    return endpointOf(url);
  } catch (error) {
    throw error instanceof CliError ? new CliFailure(EXIT_USAGE, error.message) : error;
  }
}

/** Until the client closes standard input, or a signal. */
async function bridge(endpoint: URL, token: string): Promise<void> {
  const transport = new StdioServerTransport();
  const link = new StdioBridge({
    endpoint,
    token,
    send: (message) => transport.send(message),
    warn: (text) => process.stderr.write(`nightjar: ${text}\n`),
  });
  const over = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  transport.onmessage = (message) => void link.forward(message);
  transport.onerror = (error) => process.stderr.write(`nightjar: ${error.message}\n`);
  await transport.start();
  await Promise.race([over, once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  link.close();
  await transport.close();
}

/** For a try without a server: everything is lost when the client goes. */
async function withOwnGateway(env: NodeJS.ProcessEnv): Promise<void> {
  const plan = planLaunch(
    { instances: 1, demo: true },
    {
      ...env,
      ...{ HOST: '127.0.0.1', PORT: '0', MANAGEMENT_PORT: '', REDIS_URL: '', NIGHTJAR_CONFIG: '' },
      NIGHTJAR_LOG_LEVEL: env['NIGHTJAR_LOG_LEVEL'] ?? 'error',
    },
  );
  const say = (line: string): void => void process.stderr.write(`nightjar: ${line}\n`);
  // Standard output belongs to the protocol.
  const launcher = new Launcher(plan, say, 'stderr');
  try {
    await launcher.start();
    await bridge(new URL('/mcp', launcher.urls[0]), plan.demoToken ?? '');
  } finally {
    launcher.kill();
    await launcher.stop();
  }
}
