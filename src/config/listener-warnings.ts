import { clearWarnings } from './clear-listeners.js';
import { diskFiles } from './config-files.js';
import type { GatewayConfig } from './config.types.js';
import { certificateWarnings, readListenCertificate } from './listen-certificate.js';

/**
 * What works about the listeners and yet should not stay so: tokens in clear, a certificate that ends.
 * @throws ConfigError when the certificate cannot be used.
 */
export function listenerWarnings(config: GatewayConfig): string[] {
  const { tls } = config.listen;
  if (tls === undefined) return clearWarnings(config);
  const certificate = readListenCertificate(tls, diskFiles);
  return [...clearWarnings(config), ...certificateWarnings(certificate, config.publicUrl)];
}
