import type { RedisSettings } from '../config/config.types.js';
import { EXIT_UNAVAILABLE, EXIT_USAGE } from '../config/exit-code.js';
import { configFile } from '../config/load-config.js';
import { loadConfig } from '../config/load-config.js';
import type { AuditBounds } from '../store/redis-audit.store.js';
import { CliFailure } from './cli-failure.js';
import { readRunFiles, type RunFile } from './launch/run-file.js';

export interface FoundRedis extends RedisSettings {
  readonly audit: AuditBounds;
  /** The tenants that the gateways on it serve; undefined when that is not known here. */
  readonly tenants?: readonly string[];
}

export interface FindOptions {
  readonly config?: string | undefined;
  /** Tells launchers apart when several run. */
  readonly port?: string | undefined;
}

const UNSET = 'unix:///unset';

/**
 * The Redis of REDIS_URL or of the configuration; else that of a launcher that runs here now.
 * @throws CliFailure when there is none, or more than one.
 * @throws ConfigError when a configuration file is named and at fault.
 */
export function findRedis({ config, port }: FindOptions, env: NodeJS.ProcessEnv): FoundRedis {
  const { redis, tenants, audit } = loadConfig({ environment: env, file: config, redisUrl: UNSET });
  const withFile = configFile(env, config) !== undefined;
  if (redis.url !== UNSET) {
    return { ...redis, audit, ...(withFile ? { tenants: tenants.map(({ id }) => id) } : {}) };
  }
  const { redisUrl, prefix, tenants: served } = choose(readRunFiles(env), port);
  return { url: redisUrl, prefix, allowEviction: false, audit, tenants: served };
}

function choose(running: readonly RunFile[], port: string | undefined): RunFile {
  const fitting = running.filter((file) => port === undefined || String(file.port) === port);
  const [only, ...more] = fitting;
  if (only === undefined) {
    const what = port === undefined ? 'no gateway with' : `no gateway on port ${port} with`;
    throw new CliFailure(
      EXIT_UNAVAILABLE,
      `there is ${what} an embedded Redis running here: set REDIS_URL, or name the --config that has redis.url`,
    );
  }
  if (more.length === 0) return only;
  const ports = fitting.map((file) => file.port).join(', ');
  throw new CliFailure(EXIT_USAGE, `several launchers run (ports ${ports}): choose by --port`);
}
