import { buildHeaders } from './build-sources.js';
import type { GatewayConfig } from './config.types.js';
import type { GatewayDto } from './dto/gateway.dto.js';
import type { Environment } from './environment.js';
import type { Faults } from './faults.js';
import type { SecretReader } from './secrets.js';

/** Both go over HTTP; a collector that takes one takes the other. */
const PROTOCOLS = ['http/json', 'http/protobuf'];

/**
 * Nothing unless an endpoint is named, here or by OpenTelemetry's own variables, whose other settings
 * (headers, sampler, batches) its SDK reads by itself.
 */
export function buildTracing({
  dto: { tracing },
  environment,
  secrets,
  faults,
}: {
  readonly dto: Pick<GatewayDto, 'tracing'>;
  readonly environment: Environment;
  readonly secrets: SecretReader;
  readonly faults: Faults;
}): Pick<GatewayConfig, 'tracing'> {
  const named =
    environment['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? environment['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const wanted = tracing?.endpoint !== undefined || (named !== undefined && named !== '');
  const off =
    environment['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' ||
    environment['OTEL_TRACES_EXPORTER'] === 'none';
  if (!wanted || off) return {};
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL']) {
    const protocol = environment[name] ?? '';
    if (protocol !== '' && !PROTOCOLS.includes(protocol)) {
      faults.add(name, `must be ${PROTOCOLS.join(' or ')} (port 4318 of a collector)`);
    }
  }
  return {
    tracing: {
      ...(tracing?.endpoint === undefined ? {} : { endpoint: tracing.endpoint }),
      headers: buildHeaders(tracing?.headers, 'tracing.headers', secrets),
      ...(tracing?.sampleRatio === undefined ? {} : { sampleRatio: tracing.sampleRatio }),
      ...(tracing?.serviceName === undefined ? {} : { serviceName: tracing.serviceName }),
    },
  };
}
