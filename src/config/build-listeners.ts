import { resolve } from 'node:path';
import type { BuildInput } from './build-input.js';
import type { GatewayConfig, ListenTls } from './config.types.js';

/** Where the gateway listens, and under which address it is known. */
export function buildListeners({
  dto: { listen, management, publicUrl },
  folder,
  faults,
}: Pick<BuildInput, 'dto' | 'folder' | 'faults'>): Pick<
  GatewayConfig,
  'listen' | 'management' | 'publicUrl'
> {
  const host = listen?.host ?? '127.0.0.1';
  const port = listen?.port ?? 17_000;
  // A port chosen by the system leaves none to count from: management joins the main listener.
  const managementPort = management?.port ?? (port === 0 ? 0 : port + 1000);
  if (managementPort > 65_535 && !faults.has('listen.port')) {
    faults.add('management.port', 'must be set: listen.port + 1000 is no port');
  }
  if (managementPort !== 0 && managementPort === port) {
    faults.add('management.port', 'must differ from listen.port (0 joins the two)');
  }
  const tls = tlsOf(listen?.tls, folder);
  // The name stands for two servers, of which only one would get a renewed certificate.
  if (tls !== undefined && host === 'localhost') {
    faults.add('listen.host', 'must be an address, such as 127.0.0.1, where listen.tls is set');
  }
  return {
    listen: {
      host,
      port,
      ...(tls === undefined ? {} : { tls }),
      ...(listen?.insecure === undefined ? {} : { insecure: listen.insecure }),
    },
    management: {
      host: management?.host ?? '127.0.0.1',
      port: managementPort,
      probesOnMain: management?.probesOnMain ?? false,
    },
    ...(typeof publicUrl === 'string' ? { publicUrl: publicUrl.replace(/\/+$/, '') } : {}),
  };
}

type ListenDto = NonNullable<BuildInput['dto']['listen']>;

/** What is in the files is not read here: it changes while the gateway runs. */
function tlsOf(given: ListenDto['tls'], folder: string): ListenTls | undefined {
  const { cert, key, minVersion = 'TLSv1.2' } = given ?? {};
  // Validation has found what is missing.
  if (typeof cert !== 'string' || typeof key !== 'string') return undefined;
  return { cert: resolve(folder, cert), key: resolve(folder, key), minVersion };
}
