import { createPrivateKey, constants, type KeyObject, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { ConfigError } from './config-error.js';
import { type ConfigFiles, readText } from './config-files.js';
import type { ListenTls } from './config.types.js';
import { Faults } from './faults.js';

const PLACE = 'listen.tls';
const DAY_MS = 86_400_000;
/** A renewal that should have happened by then: authorities' tools renew 30 days ahead. */
const SOON_DAYS = 14;

/** Forward secrecy and authenticated encryption only; TLS 1.3 knows nothing else. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** A certificate that a listener can show. */
export interface ListenCertificate {
  /** The server's own, the first in its file. */
  readonly leaf: X509Certificate;
  /** All that a listener's TLS is made of. */
  readonly context: SecureContextOptions;
}

/**
 * Reads the files of `listen.tls` and tries them.
 * @throws ConfigError with every fault: unreadable, no PEM, a key of another certificate.
 */
export function readListenCertificate(tls: ListenTls, files: ConfigFiles): ListenCertificate {
  const faults = new Faults();
  const cert = textOf(tls, 'cert', files, faults);
  const key = textOf(tls, 'key', files, faults);
  const leaf = parsed('cert', faults, 'must be a certificate in PEM', () => {
    return new X509Certificate(cert);
  });
  const secret = parsed('key', faults, 'must be a private key in PEM without a passphrase', () => {
    return createPrivateKey(key);
  });
  if (leaf !== undefined && secret !== undefined) {
    const context = contextOf(tls, cert, key);
    const fault = pairFault(leaf, secret, context);
    if (fault === undefined) return { leaf, context };
    faults.add(PLACE, fault);
  }
  throw new ConfigError(faults.list());
}

/** What will soon be wrong with a certificate, or already is, for its clients. */
export function certificateWarnings(
  { leaf }: ListenCertificate,
  publicUrl: string | undefined,
  now = Date.now(),
): string[] {
  const warnings: string[] = [];
  if (Date.parse(leaf.validFrom) > now) {
    warnings.push(`the certificate is not valid before ${leaf.validFrom}`);
  }
  const days = (Date.parse(leaf.validTo) - now) / DAY_MS;
  if (days < 0) warnings.push(`the certificate has expired: ${leaf.validTo}`);
  else if (days < SOON_DAYS) warnings.push(`the certificate expires soon: ${leaf.validTo}`);
  if (publicUrl !== undefined && !isFor(leaf, new URL(publicUrl).hostname)) {
    warnings.push(`the certificate is not for the host of publicUrl (${publicUrl})`);
  }
  return warnings;
}

function textOf(tls: ListenTls, part: 'cert' | 'key', files: ConfigFiles, faults: Faults): string {
  const content = readText(files, tls[part]);
  if ('text' in content) return content.text;
  faults.add(`${PLACE}.${part}`, content.fault);
  return '';
}

function parsed<T>(
  part: 'cert' | 'key',
  faults: Faults,
  fault: string,
  parse: () => T,
): T | undefined {
  const place = `${PLACE}.${part}`;
  if (faults.has(place)) return undefined;
  try {
    return parse();
  } catch {
    faults.add(place, fault);
    return undefined;
  }
}

function contextOf({ minVersion }: ListenTls, cert: string, key: string): SecureContextOptions {
  return {
    ...{ cert, key, minVersion, ciphers: CIPHERS, honorCipherOrder: true },
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function pairFault(
  leaf: X509Certificate,
  key: KeyObject,
  context: SecureContextOptions,
): string | undefined {
  if (!leaf.checkPrivateKey(key)) {
    return 'the key must be that of the first certificate in cert, which is the server’s own';
  }
  try {
    createSecureContext(context);
    return undefined;
  } catch (error) {
    // A key that is too short, a broken certificate further down.
    const { code = 'unknown' } = error as { code?: string };
    return `cert and key are refused by OpenSSL (${code})`;
  }
}

function isFor(leaf: X509Certificate, hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return (isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)) !== undefined;
}
