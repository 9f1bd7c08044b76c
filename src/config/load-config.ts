import 'reflect-metadata';
import { dirname, resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { parseDocument } from 'yaml';
import { buildConfig } from './build-config.js';
import { refuseClear } from './clear-listeners.js';
import { type ConfigFiles, diskFiles, readText } from './config-files.js';
import { ConfigError } from './config-error.js';
import type { GatewayConfig } from './config.types.js';
import { deepFreeze } from './deep-freeze.js';
import { GatewayDto } from './dto/gateway.dto.js';
import {
  ADMIN_HASH_VARIABLE,
  ADMIN_VARIABLE,
  CONFIG_FILE_VARIABLE,
  DEMO_VARIABLE,
  type Environment,
  overlayEnvironment,
} from './environment.js';
import { Faults } from './faults.js';
import { redisUrlFault } from './redis-url.js';
import { SecretReader } from './secrets.js';
import { isSound } from './structure-faults.js';
import { hashToken, tokenSecretFault } from './token-secret.js';
import { withoutNulls } from './without-nulls.js';
import { reasonOf } from './reason-of.js';

export interface LoadOptions {
  readonly environment: Environment;
  /** The YAML file; else the one that NIGHTJAR_CONFIG names; else none. */
  readonly file?: string | undefined;
  /** Used when neither file nor environment names a Redis: the embedded one's address. */
  readonly redisUrl?: string;
  readonly files?: ConfigFiles;
}

/**
 * Reads the environment and the YAML file into one validated, frozen object.
 * @throws ConfigError with every fault there is, each with its place.
 */
export function loadConfig(options: LoadOptions): GatewayConfig {
  const { environment, file, redisUrl, files = diskFiles } = options;
  const path = configFile(environment, file);
  const { document, origin } = overlayEnvironment(
    path === undefined ? {} : readYaml(path, files),
    environment,
  );
  const faults = new Faults(origin);
  const dto = plainToInstance(GatewayDto, document);
  faults.addValidation(
    validateSync(dto, { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true }),
  );
  const folder = path === undefined ? process.cwd() : dirname(path);
  const config = buildConfig({
    dto,
    folder,
    files,
    environment,
    secrets: new SecretReader(environment, folder, files, faults),
    faults,
    fromEnvironment: (place) => origin.has(place),
    redisUrl,
    demoSha256: hashIn(environment, DEMO_VARIABLE, faults),
    adminSha256: adminHash(environment, faults),
  });
  checkResolvedRedis(config, faults);
  refuseClear(config, faults);
  const found = faults.list();
  if (found.length > 0) throw new ConfigError(found);
  return deepFreeze(config);
}

/** The absolute path of the YAML file in use, if there is one. */
export function configFile(environment: Environment, file?: string): string | undefined {
  const named = file ?? environment[CONFIG_FILE_VARIABLE];
  return named === undefined || named === '' ? undefined : resolve(named);
}

function readYaml(path: string, files: ConfigFiles): Record<string, unknown> {
  const content = readText(files, path);
  if ('fault' in content) throw new ConfigError([content.fault]);
  const yaml = parseDocument(content.text);
  if (yaml.errors.length > 0) {
    throw new ConfigError(
      yaml.errors.map((error) => `${path}: ${error.message.split('\n')[0] ?? ''}`),
    );
  }
  const document = contentOf(yaml, path);
  if (document === null || document === undefined) return {};
  if (typeof document !== 'object' || Array.isArray(document)) {
    throw new ConfigError([`${path}: must be a mapping`]);
  }
  const faults = new Faults();
  if (!isSound(document, faults)) throw new ConfigError(faults.list());
  return withoutNulls(document) as Record<string, unknown>;
}

/** @throws ConfigError for aliases that would unfold into more than any memory holds. */
function contentOf(yaml: ReturnType<typeof parseDocument>, path: string): unknown {
  try {
    return yaml.toJS();
  } catch (error) {
    throw new ConfigError([`${path}: ${reasonOf(error)}`]);
  }
}

/** A Redis address behind a reference is known only now. */
function checkResolvedRedis({ redis }: GatewayConfig, faults: Faults): void {
  if (redis.url === '' || faults.has('redis.url')) return;
  const fault = redisUrlFault(redis.url);
  if (fault !== undefined) faults.add('redis.url', fault);
}

function adminHash(environment: Environment, faults: Faults): string | undefined {
  const secret = environment[ADMIN_VARIABLE];
  if (secret === undefined || secret === '') {
    return hashIn(environment, ADMIN_HASH_VARIABLE, faults);
  }
  const fault = tokenSecretFault(secret);
  if (fault !== undefined) faults.add(ADMIN_VARIABLE, fault);
  return hashToken(secret);
}

function hashIn(environment: Environment, name: string, faults: Faults): string | undefined {
  const hash = environment[name];
  if (hash === undefined || hash === '') return undefined;
  if (!/^[0-9a-f]{64}$/.test(hash)) faults.add(name, 'must be 64 lower-case hex digits');
  return hash;
}
