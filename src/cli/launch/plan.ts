import { resolve } from 'node:path';
import { ConfigError } from '../../config/config-error.js';
import type { GatewayConfig } from '../../config/config.types.js';
import {
  ADMIN_HASH_VARIABLE,
  ADMIN_VARIABLE,
  CONFIG_FILE_VARIABLE,
  DEMO_VARIABLE,
} from '../../config/environment.js';
import { EXIT_CONFIG } from '../../config/exit-code.js';
import { loadConfig } from '../../config/load-config.js';
import { isLoopback } from '../../config/loopback.js';
import { generateToken, hashToken, tokenSecretFault } from '../../config/token-secret.js';
import { CliFailure } from '../cli-failure.js';

/** Stands for the Redis that the launcher is about to start. */
export const EMBEDDED_URL = 'unix:///embedded';
const DEMO_TOKEN_VARIABLE = 'NIGHTJAR_DEMO_TOKEN';

export interface ServeOptions {
  readonly instances: number;
  readonly config?: string | undefined;
  /** Undefined: on with the embedded Redis, else off. */
  readonly demo?: boolean | undefined;
}

/** What is to be started, decided before anything is. */
export interface LaunchPlan {
  readonly config: GatewayConfig;
  readonly instances: number;
  readonly embedded: boolean;
  readonly demoToken?: string;
  /** Made for this start, where the admin API is on and the environment names no token. */
  readonly adminToken?: string;
  /** The gateways' environment; ports and an embedded Redis' address are added to it. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * @throws ConfigError with every fault of the configuration.
 * @throws CliFailure for a demo that would be open to others.
 */
export function planLaunch(options: ServeOptions, environment: NodeJS.ProcessEnv): LaunchPlan {
  const { [DEMO_TOKEN_VARIABLE]: preset = '', ...env } = environment;
  if (options.config !== undefined) env[CONFIG_FILE_VARIABLE] = resolve(options.config);
  const embedded = isEmbedded(env);
  const demo = options.demo ?? embedded;
  if (!demo) return { config: load(env), instances: options.instances, embedded, env };
  const demoToken = preset === '' ? generateToken() : preset;
  const fault = tokenSecretFault(demoToken);
  if (fault !== undefined) throw new ConfigError([`${DEMO_TOKEN_VARIABLE}: ${fault}`]);
  env[DEMO_VARIABLE] = hashToken(demoToken);
  const adminToken = makeAdminToken(env);
  const config = load(env);
  if (preset !== '' && !isLoopback(config.listen.host)) {
    throw new CliFailure(
      EXIT_CONFIG,
      `${DEMO_TOKEN_VARIABLE} is refused on ${config.listen.host}: a preset demo token is for loopback only; unset it, bind to 127.0.0.1, or start with --no-demo`,
    );
  }
  return {
    config,
    instances: options.instances,
    embedded,
    demoToken,
    ...(adminToken === undefined ? {} : { adminToken }),
    env,
  };
}

/** Adds the hash of a new admin token to `env`, unless it has one or the API is off. */
function makeAdminToken(env: NodeJS.ProcessEnv): string | undefined {
  const isGiven = [ADMIN_VARIABLE, ADMIN_HASH_VARIABLE].some((name) => (env[name] ?? '') !== '');
  if (isGiven || !load(env).admin.enabled) return undefined;
  const token = generateToken();
  env[ADMIN_HASH_VARIABLE] = hashToken(token);
  return token;
}

/** Faults are told by the load that follows; here only the address counts. */
function isEmbedded(env: NodeJS.ProcessEnv): boolean {
  return load(env).redis.url === EMBEDDED_URL;
}

function load(env: NodeJS.ProcessEnv): GatewayConfig {
  return loadConfig({ environment: env, redisUrl: EMBEDDED_URL });
}
