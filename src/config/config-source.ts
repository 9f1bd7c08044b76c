import { type ConfigFiles, diskFiles, readText } from './config-files.js';
import type { GatewayConfig, TenantConfig } from './config.types.js';
import { loadConfig, type LoadOptions } from './load-config.js';
import { readTenant } from './read-tenant.js';

/** What takes effect without a restart. */
const LIVE: ReadonlySet<string> = new Set(['tenants', 'tokens']);

/**
 * Where the configuration comes from, for as long as the gateway runs: notices that the YAML file or
 * a file that it refers to has changed, and reads it again. Compares contents, not times: Kubernetes
 * swaps mounted files behind a symbolic link, and a rotated secret is a change like any other.
 */
export class ConfigSource {
  private readonly read = new Map<string, string>();
  private readonly files: ConfigFiles;
  private current: GatewayConfig;

  /** @throws ConfigError with every fault there is. */
  constructor(private readonly options: LoadOptions) {
    const { files = diskFiles } = options;
    this.files = {
      exists: (path) => files.exists(path),
      read: (path) => {
        this.read.set(path, contentOf(files, path));
        return files.read(path);
      },
    };
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
    const { files = diskFiles } = this.options;
    const changed = [...this.read].filter(([path, before]) => contentOf(files, path) !== before);
    if (changed.length === 0) return undefined;
    changed.forEach(([path]) => this.read.set(path, contentOf(files, path)));
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

function contentOf(files: ConfigFiles, path: string): string {
  const content = readText(files, path);
  return 'fault' in content ? `\0${content.fault}` : content.text;
}
