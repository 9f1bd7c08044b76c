import 'reflect-metadata';
import { ConfigError } from './config/config-error.js';
import { ConfigSource } from './config/config-source.js';
import { gatewayArguments } from './config/gateway-arguments.js';
import { EXIT_CONFIG, EXIT_SOFTWARE, EXIT_UNAVAILABLE } from './config/exit-code.js';
import { startGateway } from './gateway.js';
import { describeStartFailure } from './health/start-failure.js';
import { JsonLogger } from './health/json-logger.js';
import { collectProcessMetrics } from './metrics/metrics.js';

/** Beyond the drain time: for closing connections. Whoever hangs longer is left behind. */
const CLOSE_GRACE_MS = 5000;

function load(): ConfigSource {
  try {
    const given = gatewayArguments(process.argv.slice(2));
    return new ConfigSource({ environment: process.env, ...given });
  } catch (error) {
    return refuse(error);
  }
}

/** Ends the process for a faulty configuration. @throws what is something else. */
function refuse(error: unknown): never {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${error.toString()}\n`);
  process.exit(EXIT_CONFIG);
}

async function main(): Promise<void> {
  const source = load();
  const { config } = source;
  const log = JsonLogger.toStdout(config.log.level);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      log.fatal({ msg: event, err: error });
      process.exit(EXIT_SOFTWARE);
    });
  }
  collectProcessMetrics();
  const starting = startGateway(source, log);
  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      signals += 1;
      if (signals > 1) process.exit(128 + (signal === 'SIGTERM' ? 15 : 2));
      const limit = config.execution.drainSeconds * 1000 + CLOSE_GRACE_MS;
      setTimeout(() => {
        log.error('the stop took too long; what is left is cut off');
        process.exit(EXIT_SOFTWARE);
      }, limit).unref();
      void starting
        .then((gateway) => gateway.stop())
        .then(() => {
          process.exit(0);
        });
    });
  }
  try {
    await starting;
  } catch (error) {
    if (error instanceof ConfigError) refuse(error);
    log.fatal({ msg: describeStartFailure(error, config), err: error });
    process.exit(EXIT_UNAVAILABLE);
  }
}

await main();
