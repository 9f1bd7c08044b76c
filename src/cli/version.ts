import type { Command } from 'commander';
import { type BuildIdentity, buildIdentity } from '../config/build-identity.js';

/** Adds `nightjar version`. */
export function registerVersion(program: Command): void {
  program
    .command('version')
    .description('print which build this is')
    .option('--json', 'one line of JSON')
    .action(({ json }: { readonly json?: true }) => {
      const identity = buildIdentity();
      process.stdout.write(json === true ? `${JSON.stringify(identity)}\n` : text(identity));
    });
}

function text(identity: BuildIdentity): string {
  const commit =
    identity.gitCommit === null
      ? 'commit unknown'
      : `${identity.gitCommit.slice(0, 12)}${identity.dirty === true ? ' with changes' : ''}`;
  return [
    `${identity.name} ${identity.version} (${commit})`,
    `node ${identity.node} on ${identity.platform}`,
    `A2A ${identity.protocols.a2a.join(', ')}`,
    `MCP ${identity.protocols.mcp.join(', ')}`,
    '',
  ].join('\n');
}
