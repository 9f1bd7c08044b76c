import { Logger } from '@nestjs/common';
import type { TracingSettings } from '../config/config.types.js';
import { reasonOf } from '../config/reason-of.js';
import { useTracer } from './tracing.js';

/**
 * Starts tracing when the configuration asks for it. Only then are OpenTelemetry's packages loaded:
 * a gateway without traces pays nothing for them.
 */
export async function openTracing(
  settings: TracingSettings | undefined,
  version: string,
): Promise<void> {
  if (settings === undefined) return;
  const logger = new Logger('Tracing');
  const { openOtel } = await import('./otel.js');
  useTracer(
    openOtel(settings, version, (error) => {
      const what = reasonOf(error);
      logger.warn({ msg: 'spans could not be sent', reason: what.slice(0, 300) });
    }),
  );
  logger.log({ msg: 'traces are sent', ...(settings.endpoint ? { to: settings.endpoint } : {}) });
}
