import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.js';
import { readTenant, type TenantSurroundings } from './read-tenant.js';

const surroundings: TenantSurroundings = {
  environment: {},
  files: { exists: () => false, read: () => '' },
  profile: 'default',
  toolsets: ['assistant'],
  admin: { enabled: true, allowedHosts: [], secretEnv: [] },
};

function faultsOf(document: Readonly<Record<string, unknown>>): readonly string[] {
  try {
    readTenant('acme', document, surroundings);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

describe('a tenant of the admin API', () => {
  it('should name no command and no module: those run code', () => {
    const http = { name: 'far', url: 'https://tools.example.com/mcp' };
    expect(faultsOf({ mcpServers: [http] })).toEqual([]);
    const stdio = { name: 'near', transport: 'stdio', command: '/bin/sh', args: ['-c', 'id'] };
    expect(faultsOf({ mcpServers: [http, stdio] })).toEqual([
      'mcpServers[1].transport: must not be stdio: a command is named in the YAML file',
    ]);
    const assistant = { backend: 'module', module: '/tmp/evil.mjs' };
    expect(faultsOf({ assistant })).toEqual([
      'assistant.backend: must not be module: a module is named in the YAML file',
    ]);
  });
});
