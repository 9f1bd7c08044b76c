/** A process environment, or a test's. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Environment variables that stand for a place in the YAML file; they win over it. The second group
 * exists so that tests need not wait for the real times: leave it alone in production, where the
 * YAML file's `execution` section is the place for a considered change.
 */
export const VARIABLES: Readonly<Record<string, string>> = {
  HOST: 'listen.host',
  PORT: 'listen.port',
  NIGHTJAR_INSECURE: 'listen.insecure',
  MANAGEMENT_HOST: 'management.host',
  MANAGEMENT_PORT: 'management.port',
  REDIS_URL: 'redis.url',
  NIGHTJAR_ADMIN_ENABLED: 'admin.enabled',
  NIGHTJAR_PROBES_ON_MAIN: 'management.probesOnMain',
  NIGHTJAR_REDIS_PREFIX: 'redis.prefix',
  NIGHTJAR_PUBLIC_URL: 'publicUrl',
  NIGHTJAR_ALLOWED_HOSTS: 'allowedHosts',
  NIGHTJAR_ALLOWED_ORIGINS: 'allowedOrigins',
  NIGHTJAR_LOG_LEVEL: 'log.level',

  NIGHTJAR_LEASE_MS: 'execution.leaseMs',
  NIGHTJAR_HEARTBEAT_MS: 'execution.heartbeatMs',
  NIGHTJAR_SWEEP_MS: 'execution.sweepMs',
  NIGHTJAR_MAX_RUNS: 'execution.maxRunsPerInstance',
  NIGHTJAR_DRAIN_SECONDS: 'execution.drainSeconds',
  NIGHTJAR_MAX_BLOCKING_SECONDS: 'execution.maxBlockingSeconds',
  NIGHTJAR_STREAM_HEARTBEAT_MS: 'execution.streamHeartbeatMs',
  NIGHTJAR_SSE_COMMENT_MS: 'execution.sseCommentMs',
  NIGHTJAR_MCP_MAX_WAIT_SECONDS: 'mcp.maxWaitSeconds',
};

/** The YAML file; `--config` wins over it. */
export const CONFIG_FILE_VARIABLE = 'NIGHTJAR_CONFIG';

/**
 * SHA-256 of the demo token: turns the demo on. Set by `nightjar serve` for the gateways it starts,
 * so that the token itself stays with the launcher.
 */
export const DEMO_VARIABLE = 'NIGHTJAR_DEMO_SHA256';

/** Places whose value is a text even when it looks like a number. */
const TEXTS = new Set(['listen.host', 'management.host', 'redis.url', 'redis.prefix', 'publicUrl']);

/** Places that hold a list of texts; the environment has commas between them. */
const LISTS = new Set(['allowedHosts', 'allowedOrigins']);

/** The first admin token, chosen by whoever sets the environment. */
export const ADMIN_VARIABLE = 'NIGHTJAR_ADMIN_TOKEN';

/** The same as its SHA-256: what `nightjar serve` hands to the gateways it starts. */
export const ADMIN_HASH_VARIABLE = 'NIGHTJAR_ADMIN_SHA256';

export interface Overlay {
  /** The file's document with the environment's values set; the document given stays as it is. */
  readonly document: Record<string, unknown>;
  /** Which variable gave a place its value, so that a fault can name it. */
  readonly origin: ReadonlyMap<string, string>;
}

/** An empty variable counts as not set: that is how a Makefile or a Compose file passes "nothing". */
export function overlayEnvironment(
  document: Readonly<Record<string, unknown>>,
  environment: Environment,
): Overlay {
  const merged: Record<string, unknown> = { ...document };
  const origin = new Map<string, string>();
  for (const [variable, place] of Object.entries(VARIABLES)) {
    const text = environment[variable];
    if (text === undefined || text === '') continue;
    if (setPlace(merged, place, valueOf(place, text))) {
      origin.set(place, variable);
    }
  }
  return { document: merged, origin };
}

/** False when the file has something else than a mapping there, which is a fault of its own. */
function setPlace(document: Record<string, unknown>, place: string, value: unknown): boolean {
  const [section = '', key] = place.split('.');
  if (key === undefined) {
    document[section] = value;
    return true;
  }
  const known = document[section] ?? {};
  if (typeof known !== 'object' || Array.isArray(known)) return false;
  document[section] = { ...known, [key]: value };
  return true;
}

function valueOf(place: string, text: string): unknown {
  if (LISTS.has(place)) return text.split(',').map((entry) => entry.trim());
  return TEXTS.has(place) ? text : scalar(text);
}

function scalar(text: string): unknown {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  if (text === 'true') return true;
  if (text === 'false') return false;
  return text;
}
