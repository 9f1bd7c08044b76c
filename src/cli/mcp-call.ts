import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  StreamableHTTPError,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Command } from 'commander';
import { EXIT_USAGE } from '../config/exit-code.js';
import { reasonOf } from '../config/reason-of.js';
import { CliError, EXIT, type ExitCode } from './a2a/exit-code.js';
import { jsonLine, terminalText } from './terminal-text.js';

/** What the commands write to and read from; the process itself unless a test gives another. */
export interface McpCommandsIo {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly exit: (code: number) => void;
}

const PROCESS: McpCommandsIo = {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  env: process.env,
  exit: (code) => {
    process.exitCode = code;
  },
};

interface McpFlags {
  readonly token?: string;
  readonly json?: true;
  readonly timeout: string;
}

const EXIT_HELP = `
Exit codes:
  0  answered           1  the tool answered with an error   3  it asks for input
  4  token missing or not allowed     5  unreachable or unavailable
  6  request refused    7  still working                    64  wrong usage`;

/** Longer than a gateway lets a call wait, so that its `status: working` still arrives. */
const TIMEOUT_SECONDS = '300';

/** Adds `mcp call` and `mcp tools`: any MCP server over Streamable HTTP, from the command line. */
export function registerMcpCommands(program: Command, given: McpCommandsIo = PROCESS): void {
  // Whatever the server says, in a result, a name, a progress message or an error.
  const io: McpCommandsIo = {
    ...given,
    out: (text) => {
      given.out(terminalText(text));
    },
    err: (text) => {
      given.err(terminalText(text));
    },
  };
  const mcp = program.command('mcp').description('call the tools of an MCP server');
  const common = (command: Command): Command =>
    command
      .option('--token <token>', 'bearer token; NIGHTJAR_TOKEN is taken otherwise')
      .option('--json', 'the whole result as one line of JSON')
      .option('--timeout <seconds>', 'without an answer or progress', TIMEOUT_SECONDS)
      .addHelpText('after', EXIT_HELP);

  common(mcp.command('call'))
    .description('call a tool and print its answer; progress goes to stderr')
    .argument('<url>', 'the endpoint; /mcp is added to a bare origin')
    .argument('<tool>')
    .argument('[arguments]', 'JSON object', '{}')
    .action((url: string, tool: string, args: string, flags: McpFlags) =>
      ended(io, async () => {
        const parsed = parseArguments(args);
        return withClient(io, url, flags, (client, timeout) =>
          call(
            io,
            client,
            { name: tool, arguments: parsed },
            { timeout, json: flags.json ?? false },
          ),
        );
      }),
    );
  common(mcp.command('tools'))
    .description('list the tools')
    .argument('<url>', 'the endpoint; /mcp is added to a bare origin')
    .action((url: string, flags: McpFlags) =>
      ended(io, () =>
        withClient(io, url, flags, async (client) => {
          const { tools } = await client.listTools();
          if (flags.json === true) io.out(jsonLine({ tools }));
          else {
            tools.forEach((tool) => {
              io.out(`${tool.name}\n    ${tool.description ?? ''}\n`);
            });
          }
          return EXIT.ok;
        }),
      ),
    );
}

async function call(
  io: McpCommandsIo,
  client: Client,
  request: { name: string; arguments: Record<string, unknown> },
  { timeout, json }: { timeout: number; json: boolean },
): Promise<ExitCode> {
  const result = CallToolResultSchema.parse(
    await client.callTool(request, undefined, {
      timeout,
      resetTimeoutOnProgress: true,
      onprogress: ({ message, progress }) => {
        io.err(`… ${message ?? String(progress)}\n`);
      },
    }),
  );
  if (json) io.out(jsonLine(result));
  else {
    result.content.forEach((block) => {
      io.out(`${lineOf(block)}\n`);
    });
  }
  return exitCodeOf(result);
}

function lineOf(block: CallToolResult['content'][number]): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${Buffer.byteLength(block.data, 'base64')} bytes]`;
    case 'resource_link':
      return `[${block.name}: ${block.uri}]`;
    case 'resource':
      return `[resource ${block.resource.uri}]`;
  }
}

/** Follows the `status` of n9e_assistant; a tool without one is done. */
function exitCodeOf({ isError, structuredContent }: CallToolResult): ExitCode {
  if (isError === true) return EXIT.failed;
  const status = structuredContent?.['status'];
  if (status === 'input_required' || status === 'auth_required') return EXIT.inputRequired;
  return status === 'working' ? EXIT.running : EXIT.ok;
}

async function withClient(
  io: McpCommandsIo,
  url: string,
  flags: McpFlags,
  use: (client: Client, timeoutMs: number) => Promise<ExitCode>,
): Promise<ExitCode> {
  const seconds = Number(flags.timeout);
  if (!(seconds > 0)) throw new CliError(EXIT.usage, '--timeout must be a number above 0');
  const token = flags.token ?? io.env['NIGHTJAR_TOKEN'];
  const client = new Client({ name: 'nightjar', version: version() });
  const transport = new StreamableHTTPClientTransport(endpointOf(url), {
    requestInit: {
      redirect: 'error',
      ...(token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } }),
    },
  });
  try {
    await client.connect(transport);
    return await use(client, seconds * 1000);
  } finally {
    await client.close();
  }
}

async function ended(io: McpCommandsIo, run: () => Promise<ExitCode>): Promise<void> {
  try {
    io.exit(await run());
  } catch (error) {
    const { exitCode, message } = toCliError(error);
    io.err(`nightjar: ${message}\n`);
    // As every other `nightjar` command has it.
    io.exit(exitCode === EXIT.usage ? EXIT_USAGE : exitCode);
  }
}

/** @throws CliError for anything but an http or https URL. */
export function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CliError(EXIT.usage, `"${text}" is no http or https URL`);
  }
  if (url.pathname === '/') url.pathname = '/mcp';
  return url;
}

function parseArguments(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
  } catch {
    // Told below, like any other value that is no object.
  }
  throw new CliError(EXIT.usage, `The arguments must be a JSON object, not ${text}`);
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  const message = reasonOf(error);
  if (error instanceof StreamableHTTPError) return new CliError(exitOfStatus(error.code), message);
  // What fetch throws when there is no connection.
  if (error instanceof TypeError) {
    const why = error.cause instanceof Error ? `: ${error.cause.message}` : '';
    return new CliError(EXIT.unreachable, `${message}${why}`);
  }
  return new CliError(EXIT.refused, message);
}

function exitOfStatus(status: number | undefined): ExitCode {
  if (status === 401 || status === 403) return EXIT.auth;
  return status !== undefined && status >= 502 && status <= 504 ? EXIT.unreachable : EXIT.refused;
}

function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
