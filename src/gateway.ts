import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import type { ConfigSource } from './config/config-source.js';
import type { GatewayConfig } from './config/config.types.js';
import { listenerWarnings } from './config/listener-warnings.js';
import { hasOutsideIdentity } from './config/outside-identity.js';
import { SYSTEM_TENANT } from './config/token-scopes.js';
import { ExecutionService } from './execution/execution.service.js';
import { logRequests } from './health/access-log.js';
import { DrainState } from './health/drain-state.js';
import type { JsonLogger } from './health/json-logger.js';
import { ManagementServer } from './health/management.server.js';
import { showTenants } from './metrics/metrics.js';
import { PRODUCT } from './protocols/http/product.js';
import { traceRequests } from './protocols/http/trace-requests.js';
import { openTracing } from './tracing/open-tracing.js';
import { closeTracing, isTracing } from './tracing/tracing.js';
import { type BodyCeilings, bodyCeilings } from './protocols/http/body-ceilings.js';
import { createHttpAdapter } from './protocols/http/http-adapter.js';
import { markManagement } from './protocols/http/management-requests.js';
import { StreamRegistry } from './protocols/sse/stream-registry.js';
import { TokenStore } from './store/token.store.js';
import { TenantDirectory } from './tenant/tenant.directory.js';

const LOOK_MS = 50;
/** For the last spans to leave. */
const TRACES_MS = 2000;
/**
 * Connections that may wait to be accepted; the kernel has a bound of its own (somaxconn). Node's
 * 511 are too few for thousands of readers who come back after a roll-out.
 */
const BACKLOG = 4096;

/** One running gateway. */
export interface Gateway {
  /** Where it listens, e.g. `http://127.0.0.1:17000`. */
  readonly url: string;
  /**
   * The graceful stop of design 5.11: not ready, no new runs; what runs may go on for the drain
   * time, then streams end and runs are handed over; then everything closes. Idempotent.
   */
  stop(): Promise<void>;
}

/**
 * Starts a gateway: management first, so that probes are answered while the rest comes up.
 * @throws Error with `code` EADDRINUSE and the like when a listener cannot be opened.
 * @throws ConfigError when the certificate of the listener cannot be used.
 */
export async function startGateway(source: ConfigSource, log: JsonLogger): Promise<Gateway> {
  const { config } = source;
  // What is said before Nest has it would be written in Nest's own way, in colours.
  Logger.overrideLogger(log);
  const warnings = listenerWarnings(config);
  await openTracing(config.tracing, PRODUCT.version);
  showTenants(
    config.tenants.map(({ id }) => id),
    config.metrics.tenantLabels,
  );
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(config, source),
    createHttpAdapter(config),
    { logger: log, bodyParser: false, abortOnError: false },
  );
  try {
    const fastify = app.getHttpAdapter().getInstance();
    if (isTracing()) traceRequests(fastify);
    logRequests(fastify);
    keepCeilings(fastify, app.get(TenantDirectory));
    await app.get(ManagementServer).start();
    const { host, port } = config.listen;
    await app.listen({ host, port, backlog: BACKLOG });
    if (config.admin.enabled) {
      app.get(ManagementServer).mount('/admin', (request, response) => {
        markManagement(request);
        fastify.routing(request, response);
      });
    }
  } catch (error) {
    await app.close();
    throw error;
  }
  const url = await app.getUrl();
  const logger = new Logger('Gateway');
  logger.log({ msg: 'listening', url, instance: app.get(ExecutionService).instance });
  for (const warning of warnings) logger.warn(warning);
  app.get(DrainState).markReady();
  const tenants = app
    .get(TenantDirectory)
    .all()
    .map(({ id }) => id);
  void warnWhenNobodyCanCall(config, tenants, app.get<TokenStore>(TokenStore), logger);
  let stopping: Promise<void> | undefined;
  return { url, stop: () => (stopping ??= stop(app, config, logger)) };
}

/** Tenants come and go; what may be sent follows them. */
function keepCeilings(
  fastify: { readonly bodyCeilings?: BodyCeilings },
  directory: TenantDirectory,
): void {
  directory.onChange(() => {
    if (fastify.bodyCeilings === undefined) return;
    Object.assign(fastify.bodyCeilings, bodyCeilings(directory.all()));
  });
}

async function stop(
  app: NestFastifyApplication,
  config: GatewayConfig,
  logger: Logger,
): Promise<void> {
  const execution = app.get(ExecutionService);
  const streams = app.get(StreamRegistry);
  const until = performance.now() + config.execution.drainSeconds * 1000;
  logger.log({ msg: 'draining', runs: execution.runs().length, streams: streams.size });
  app.get(DrainState).beginDrain();
  // Before close(), whose first step already takes things away from providers that runs still use.
  await execution.idle(until - performance.now());
  while (streams.size > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  await execution.leaveAll();
  streams.closeAll();
  await app.close();
  await closeTracing(TRACES_MS);
  logger.log({ msg: 'stopped' });
}

/** N7: nothing is wrong with such a gateway, but its operator would look for the fault elsewhere. */
async function warnWhenNobodyCanCall(
  config: GatewayConfig,
  tenants: readonly string[],
  store: TokenStore,
  logger: Logger,
): Promise<void> {
  if (tenants.length === 0) {
    logger.warn('no tenant is configured: every call will be refused');
    return;
  }
  if (hasOutsideIdentity(config)) return;
  if (config.tokens.some(({ tenant }) => tenant !== SYSTEM_TENANT)) return;
  try {
    const counts = await Promise.all(tenants.map((id) => store.count(id)));
    if (counts.every((count) => count === 0)) {
      logger.warn('no token exists: every call will be refused (nightjar token create makes one)');
    }
  } catch (error) {
    logger.warn({ msg: 'could not look for tokens: Redis does not answer', err: error });
  }
}
