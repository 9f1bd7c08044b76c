import { resolve } from 'node:path';
import type { BuildInput } from './build-input.js';
import type { GatewayConfig } from './config.types.js';
import { isLoopback } from './loopback.js';

/**
 * Admin API, audit and usage. The API is on by itself only where nothing but this machine reaches the
 * management listener; anywhere else it must be asked for.
 */
export function buildAdministration({
  dto,
  folder,
}: BuildInput): Pick<GatewayConfig, 'admin' | 'audit' | 'usage'> {
  const { admin, audit, usage, listen, management } = dto;
  const isMerged = (management?.port ?? (listen?.port === 0 ? 0 : 1)) === 0;
  const isInside = !isMerged && isLoopback(management?.host ?? '127.0.0.1');
  return {
    admin: {
      enabled: admin?.enabled ?? isInside,
      allowedHosts: admin?.allowedHosts ?? [],
      secretEnv: admin?.secretEnv ?? [],
      ...(admin?.secretFolder === undefined
        ? {}
        : { secretFolder: resolve(folder, admin.secretFolder) }),
    },
    audit: {
      retentionDays: audit?.retentionDays ?? 30,
      maxEntries: audit?.maxEntries ?? 100_000,
      stdout: audit?.stdout ?? false,
      ...(audit?.file === undefined ? {} : { file: resolve(folder, audit.file) }),
    },
    usage: { retentionDays: usage?.retentionDays ?? 92 },
  };
}
