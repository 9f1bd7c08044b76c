import { diskFiles } from './config-files.js';
import type { GatewayConfig, TenantConfig } from './config.types.js';
import { loadConfig, type LoadOptions } from './load-config.js';
import { readTenant } from './read-tenant.js';
import { WatchedFiles } from './watched-files.js';

/** What takes effect without a restart. */
const LIVE: ReadonlySet<string> = new Set(['tenants', 'tokens']);

/**
 * Where the configuration comes from, for as long as the gateway runs: notices that the YAML file or
 * a file that it refers to has changed, and reads it again.
 */
export class ConfigSource {
  private readonly files: WatchedFiles;
  private current: GatewayConfig;

  /** @throws ConfigError with every fault there is. */
  constructor(private readonly options: LoadOptions) {
    this.files = new WatchedFiles(options.files);
    this.current = loadConfig({ ...options, files: this.files });
  }

  /** The last good one. */
  get config(): GatewayConfig {
    return this.current;
  }

  /**
   * The configuration as it stands now, when a file has changed since the last call; else undefined.
   * @throws ConfigError when the new one is at fault: the last good one stays; told once a change.
   */
  poll(): GatewayConfig | undefined {
    if (!this.files.changed()) return undefined;
    this.current = loadConfig({ ...this.options, files: this.files });
    return this.current;
  }

  /** A tenant of the admin API. @throws ConfigError with every fault of the document. */
  tenant(id: string, document: Readonly<Record<string, unknown>>): TenantConfig {
    const { environment, files = diskFiles } = this.options;
    const { admin, profile, mcp } = this.current;
    const { toolsets } = mcp;
    return readTenant(id, document, { environment, files, profile, toolsets, admin });
  }
}

/** Settings that differ and have no effect before a restart. */
export function needRestart(before: GatewayConfig, after: GatewayConfig): readonly string[] {
  const [old, now] = [before, after] as unknown as Readonly<Record<string, unknown>>[];
  return Object.keys({ ...old, ...now })
    .filter((key) => !LIVE.has(key))
    .filter((key) => JSON.stringify(old?.[key]) !== JSON.stringify(now?.[key]));
}
