import type { Command } from 'commander';
import { stringify } from 'yaml';
import { authorityOf } from '../config/authority.js';
import type { GatewayConfig } from '../config/config.types.js';
import { listenerWarnings } from '../config/listener-warnings.js';
import { loadConfig } from '../config/load-config.js';
import { hasOutsideIdentity } from '../config/outside-identity.js';
import { redact } from '../config/redact.js';
import { EMBEDDED_URL } from './launch/plan.js';

interface ConfigFlags {
  readonly config?: string;
}

/** Adds `nightjar config check | print`. */
export function registerConfig(program: Command): void {
  const config = program.command('config').description('look at the configuration');
  config
    .command('check')
    .description('list every fault of environment and YAML file (exit code 78), or say it is fine')
    .option('--config <file>', 'YAML file; NIGHTJAR_CONFIG is taken otherwise')
    .action(({ config: file }: ConfigFlags) => {
      process.stdout.write(summary(load(file)));
    });
  config
    .command('print')
    .description('print the whole configuration as it is understood, without secrets')
    .option('--config <file>', 'YAML file; NIGHTJAR_CONFIG is taken otherwise')
    .action(({ config: file }: ConfigFlags) => {
      const shown = redact(load(file));
      process.stdout.write(stringify(shown, { aliasDuplicateObjects: false }));
    });
}

function load(file: string | undefined): GatewayConfig {
  return loadConfig({ environment: process.env, file, redisUrl: EMBEDDED_URL });
}

/** @throws ConfigError when the certificate of the listener cannot be used. */
function summary(config: GatewayConfig): string {
  const { tenants, tokens, listen, redis } = config;
  const warnings = listenerWarnings(config);
  const lines = [
    `the configuration is fine: ${count(tenants, 'tenant')}, ${count(tokens, 'token')}, listens on ${authorityOf(listen)}`,
  ];
  if (redis.url === EMBEDDED_URL) lines.push('no Redis is named: nightjar serve starts its own');
  if (tenants.length === 0) lines.push('warning: no tenant is configured: every call is refused');
  else if (tokens.length === 0 && !hasOutsideIdentity(config)) {
    lines.push('warning: no token is configured: only those of nightjar token create will do');
  }
  lines.push(...warnings.map((text) => `warning: ${text}`));
  return `${lines.join('\n')}\n`;
}

function count(list: readonly unknown[], what: string): string {
  return `${list.length} ${what}${list.length === 1 ? '' : 's'}`;
}
