import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { RedisSettings } from '../../src/config/config.types.js';

const openssl = promisify(execFile);

/** PEM texts and files of a private authority, a server on 127.0.0.1, and a client. */
export interface Certificates {
  readonly dir: string;
  readonly file: (
    name: 'ca.crt' | 'server.crt' | 'server.key' | 'client.crt' | 'client.key',
  ) => string;
  /** A new key and certificate of the server's, by the same authority, in the same files. */
  readonly renewServer: () => Promise<void>;
  readonly text: (name: 'ca.crt' | 'client.crt' | 'client.key') => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** Made by openssl(1), in a folder of their own. */
export async function makeCertificates(): Promise<Certificates> {
  const dir = await mkdtemp(join(tmpdir(), 'nightjar-tls-'));
  const run = (...args: string[]): Promise<unknown> => openssl('openssl', args, { cwd: dir });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  await run(
    ...['req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.crt', '-days', '2'],
    ...['-subj', '/CN=Nightjar test authority'],
  );
  await writeFile(join(dir, 'server.ext'), 'subjectAltName=IP:127.0.0.1,DNS:redis.internal\n');
  await writeFile(join(dir, 'client.ext'), 'extendedKeyUsage=clientAuth\n');
  const issue = async (name: 'server' | 'client'): Promise<void> => {
    const subject = ['-subj', `/CN=${name}`];
    await run('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, ...subject);
    await run(
      ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.crt', '-CAkey', 'ca.key'],
      ...['-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`, '-out', `${name}.crt`],
    );
  };
  await issue('server');
  await issue('client');
  const file = (name: string): string => join(dir, name);
  return {
    dir,
    file,
    renewServer: () => issue('server'),
    text: (name) => readFile(file(name), 'utf8'),
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}

/** What a gateway needs to be let in, for a server that is not called what it is reached by. */
export async function clientTls(tls: Certificates): Promise<NonNullable<RedisSettings['tls']>> {
  return {
    ca: await tls.text('ca.crt'),
    cert: await tls.text('client.crt'),
    key: await tls.text('client.key'),
    serverName: 'redis.internal',
  };
}

/** What makes redis-server and redis-sentinel speak TLS, and nothing else, on a port. */
export function serverFlags(tls: Certificates, port: number): string[] {
  return [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'yes'],
    ...['--tls-cert-file', tls.file('server.crt'), '--tls-key-file', tls.file('server.key')],
    ...['--tls-ca-cert-file', tls.file('ca.crt')],
    ...['--tls-replication', 'yes', '--tls-cluster', 'yes'],
  ];
}
