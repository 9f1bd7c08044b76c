import type { X509Certificate } from 'node:crypto';
import type { ServerOptions } from 'node:https';
import type { SecureContextOptions, Server } from 'node:tls';
import { Logger } from '@nestjs/common';
import { ConfigError } from '../../config/config-error.js';
import type { ListenTls } from '../../config/config.types.js';
import { readListenCertificate } from '../../config/listen-certificate.js';
import { WatchedFiles } from '../../config/watched-files.js';
import { configReloaded } from '../../metrics/config-reloads.js';
import { metrics } from '../../metrics/metrics.js';

/**
 * TLS of the main listener. A certificate that was renewed on disk is taken for new connections,
 * while those that are open go on with theirs; one that cannot be used changes nothing.
 */
export class ListenerTls {
  private readonly logger = new Logger('Tls');
  private readonly files = new WatchedFiles();
  private readonly context: SecureContextOptions;
  /** The last change could not be used, which was not yet told. */
  private isUnsettled = false;

  /** @throws ConfigError for files that cannot be used. */
  constructor(private readonly settings: ListenTls) {
    const { leaf, context } = readListenCertificate(settings, this.files);
    this.context = context;
    showEnd(leaf);
  }

  /** What the server is made with. @param handshakeMs a connection has so long for its handshake. */
  options(handshakeMs: number): ServerOptions {
    return { ...this.context, handshakeTimeout: handshakeMs };
  }

  /** Looks for a renewed certificate until the server closes. */
  follow(server: Server, everyMs: number): void {
    // A handshake that failed or takes too long cannot be answered: there is nothing to encrypt with.
    server.prependListener('tlsClientError', (_error, socket) => {
      socket.destroy();
    });
    const timer = setInterval(() => {
      this.renew(server);
    }, everyMs);
    timer.unref();
    server.once('close', () => {
      clearInterval(timer);
    });
  }

  private renew(server: Server): void {
    const hasChanged = this.files.changed();
    if (!hasChanged && !this.isUnsettled) return;
    // The two files are not always written at once: what is amiss now may be right in a moment.
    this.isUnsettled = hasChanged;
    try {
      const { leaf, context } = readListenCertificate(this.settings, this.files);
      server.setSecureContext(context);
      showEnd(leaf);
      this.isUnsettled = false;
      configReloaded('certificate', true);
      const { serialNumber: serial, validTo } = leaf;
      this.logger.log({ msg: 'the renewed certificate is in use', serial, validTo });
    } catch (error) {
      if (this.isUnsettled) return;
      configReloaded('certificate', false);
      const faults = error instanceof ConfigError ? error.faults : [];
      this.logger.error({
        msg: 'the changed certificate is refused; the one before stays in use',
        faults,
        ...(faults.length > 0 ? {} : { err: error }),
      });
    }
  }
}

function showEnd({ validTo }: X509Certificate): void {
  metrics.certificateEnds.set(Date.parse(validTo) / 1000);
}
