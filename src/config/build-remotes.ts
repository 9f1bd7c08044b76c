import { resolve } from 'node:path';
import { buildAuth, buildHeaders } from './build-sources.js';
import type { BuildContext } from './build-input.js';
import type { McpServerConfig, RemoteAgentConfig, RemoteHttpConfig } from './config.types.js';
import type { McpServerDto, RemoteAgentDto } from './dto/remote.dto.js';
import type { SecretReader } from './secrets.js';
import type { Faults } from './faults.js';

const AGENT_SILENCE_MS = 120_000;
const MCP_SILENCE_MS = 30_000;
const MAX_SECONDS = 600;
const MAX_BYTES = 16 * 1024 * 1024;

const HTTP_KEYS = ['url', 'auth', 'headers', 'allowPrivate'] as const;
const STDIO_KEYS = ['command', 'args', 'env', 'cwd'] as const;

/** A tenant's other agents. `place` is the tenant's own. */
export function buildRemotes(
  remotes: readonly RemoteAgentDto[],
  place: string,
  { secrets, faults }: BuildContext,
): RemoteAgentConfig[] {
  checkNames(remotes, [], `${place}.remotes`, faults);
  return remotes.flatMap((remote, index): RemoteAgentConfig[] => {
    if (remote.enabled === false) return [];
    const here = `${place}.remotes[${index}]`;
    const { name, readOnly = false, policy, skills } = remote;
    if (readOnly && policy !== undefined) {
      faults.add(`${here}.policy`, 'has no meaning for an agent that is read-only');
    }
    return [
      {
        name,
        ...buildHttp(remote, here, secrets, faults),
        readOnly,
        policy: policy ?? 'auto',
        ...(skills === undefined ? {} : { skills }),
        silenceMs: remote.silenceMs ?? AGENT_SILENCE_MS,
        maxSeconds: remote.maxSeconds ?? MAX_SECONDS,
      },
    ];
  });
}

/** A tenant's MCP servers. @param taken the tenant's remotes, which share their names. */
export function buildMcpServers(
  servers: readonly McpServerDto[],
  taken: readonly RemoteAgentDto[],
  place: string,
  context: BuildContext,
): McpServerConfig[] {
  const { secrets, faults, folder } = context;
  checkNames(servers, taken, `${place}.mcpServers`, faults);
  return servers.flatMap((server, index): McpServerConfig[] => {
    if (server.enabled === false) return [];
    const here = `${place}.mcpServers[${index}]`;
    const { name, tools, writes = {}, transport = 'http' } = server;
    const rules = {
      name,
      ...(tools === undefined ? {} : { tools }),
      writes,
      silenceMs: server.silenceMs ?? MCP_SILENCE_MS,
      maxSeconds: server.maxSeconds ?? MAX_SECONDS,
    };
    const foreign = transport === 'http' ? STDIO_KEYS : HTTP_KEYS;
    for (const key of foreign) {
      if (server[key] !== undefined) {
        faults.add(`${here}.${key}`, `has no meaning for a server over ${transport}`);
      }
    }
    if (transport === 'http') {
      return [{ ...rules, transport, ...buildHttp(server, here, secrets, faults) }];
    }
    return [
      {
        ...rules,
        transport,
        command: server.command ?? '',
        args: server.args ?? [],
        env: buildHeaders(server.env, `${here}.env`, secrets),
        cwd: resolve(folder, server.cwd ?? '.'),
        maxBytes: server.maxBytes ?? MAX_BYTES,
      },
    ];
  });
}

function buildHttp(
  remote: RemoteAgentDto | McpServerDto,
  place: string,
  secrets: SecretReader,
  faults: Faults,
): RemoteHttpConfig {
  const auth = buildAuth(remote.auth, `${place}.auth`, secrets, faults);
  return {
    url: typeof remote.url === 'string' ? remote.url : '',
    ...(auth === undefined ? {} : { auth }),
    headers: buildHeaders(remote.headers, `${place}.headers`, secrets),
    allowPrivate: remote.allowPrivate ?? false,
    maxBytes: remote.maxBytes ?? MAX_BYTES,
  };
}

/** Tools are called by these names, so no two may be the same, whatever stands behind them. */
function checkNames(
  list: readonly { readonly name: string }[],
  taken: readonly { readonly name: string }[],
  place: string,
  faults: Faults,
): void {
  const names = new Set(taken.map(({ name }) => name));
  list.forEach(({ name }, index) => {
    const here = `${place}[${index}].name`;
    if (names.has(name) && !faults.has(here)) faults.add(here, 'is taken by another remote');
    names.add(name);
  });
}
