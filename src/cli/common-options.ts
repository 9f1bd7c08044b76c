import type { Command } from 'commander';

/** The options by which every command that works on Redis finds it. */
export function findsRedis(command: Command): Command {
  return command
    .option('--config <file>', 'YAML file; NIGHTJAR_CONFIG is taken otherwise')
    .option('--port <port>', 'of the launcher, when several run with an embedded Redis');
}
