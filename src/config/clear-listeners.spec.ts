import { stringify } from 'yaml';
import { describe, expect, it } from 'vitest';
import { clearWarnings } from './clear-listeners.js';
import { ConfigError } from './config-error.js';
import type { GatewayConfig } from './config.types.js';
import { loadConfig } from './load-config.js';

const TLS = { cert: 'tls.crt', key: '/run/tls.key' };

function load(document: unknown, environment: Record<string, string> = {}): GatewayConfig {
  return loadConfig({
    environment: { REDIS_URL: 'redis://127.0.0.1:6379', ...environment },
    file: '/etc/nj/nightjar.yaml',
    files: { read: () => stringify(document), exists: () => true },
  });
}

function faultsOf(document: unknown, environment: Record<string, string> = {}): readonly string[] {
  try {
    load(document, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('listen.tls', () => {
  it('should have paths that start from the folder of the file, and TLS 1.2', () => {
    expect(load({ listen: { tls: TLS } }).listen).toEqual({
      host: '127.0.0.1',
      port: 17_000,
      tls: { cert: '/etc/nj/tls.crt', key: '/run/tls.key', minVersion: 'TLSv1.2' },
    });
  });

  it('should have both paths, a version that is safe, and an address', () => {
    expect(faultsOf({ listen: { tls: { cert: { file: 'x' }, minVersion: 'TLSv1.1' } } })).toEqual([
      'listen.tls.cert: must be the path of a file',
      'listen.tls.key: must be the path of a file',
      'listen.tls.minVersion: must be one of TLSv1.2, TLSv1.3',
    ]);
    expect(faultsOf({ listen: { host: 'localhost', tls: TLS } })).toEqual([
      'listen.host: must be an address, such as 127.0.0.1, where listen.tls is set',
    ]);
    expect(faultsOf({ management: { tls: TLS } })).toEqual([
      'management.tls: is not a known setting',
    ]);
  });
});

describe('listen.insecure', () => {
  const OPEN = { host: '0.0.0.0' };
  const CLEAR =
    'tokens come in clear to 0.0.0.0:17000: set listen.tls, or listen.host: 127.0.0.1 behind a proxy that ends TLS';
  const ADMIN =
    'admin tokens come in clear to [::]:18000: set management.host: 127.0.0.1, or admin.enabled: false';
  const OPEN_ADMIN = { management: { host: '::' }, admin: { enabled: true } };

  it('should refuse plain HTTP for other machines where it is false', () => {
    const listen = { ...OPEN, insecure: false };
    const fault = `listen.insecure: is false, but ${CLEAR}`;
    expect(faultsOf({ listen })).toEqual([fault]);
    expect(faultsOf({ listen, publicUrl: 'https://gw.example.com' })).toEqual([fault]);
    expect(faultsOf({ listen: OPEN }, { NIGHTJAR_INSECURE: 'false' })).toEqual([
      `NIGHTJAR_INSECURE (listen.insecure): is false, but ${CLEAR}`,
    ]);
    expect(faultsOf({ listen: { ...listen, tls: TLS } })).toEqual([]);
    expect(faultsOf({ listen: { insecure: false } })).toEqual([]);
  });

  it('should refuse an admin API for other machines where it is false: there is no TLS', () => {
    const listen = { ...OPEN, tls: TLS, insecure: false };
    expect(faultsOf({ listen, ...OPEN_ADMIN })).toEqual([
      `listen.insecure: is false, but ${ADMIN}`,
    ]);
    expect(faultsOf({ listen, management: { host: '::' } })).toEqual([]);
    expect(faultsOf({ listen, management: { port: 0 }, admin: { enabled: true } })).toEqual([]);
  });

  it('should warn where it is absent, and nothing says that a proxy ends TLS', () => {
    const warn = (document: object): string[] => clearWarnings(load(document));
    const meant = '; or set listen.insecure: true if that is as it should be';
    expect(warn({ listen: OPEN })).toEqual([CLEAR + meant]);
    expect(warn({ listen: OPEN, publicUrl: 'http://gw.example.com' })).toEqual([CLEAR + meant]);
    expect(warn({ listen: OPEN, publicUrl: 'https://gw.example.com' })).toEqual([]);
    expect(warn({ listen: OPEN, publicUrl: 'https://gw.example.com', ...OPEN_ADMIN })).toEqual([
      ADMIN + meant,
    ]);
    expect(warn({ listen: { ...OPEN, insecure: true }, ...OPEN_ADMIN })).toEqual([]);
    expect(warn({ listen: { ...OPEN, tls: TLS } })).toEqual([]);
    expect(warn({})).toEqual([]);
  });
});
