import { type ConfigFiles, diskFiles, readText } from './config-files.js';

/**
 * Remembers the files that were read through it, and tells when one of them has become another.
 * Compares contents, not times: Kubernetes swaps mounted files behind a symbolic link, and a rotated
 * secret is a change like any other.
 */
export class WatchedFiles implements ConfigFiles {
  private readonly seen = new Map<string, string>();

  constructor(private readonly files: ConfigFiles = diskFiles) {}

  exists(path: string): boolean {
    return this.files.exists(path);
  }

  read(path: string): string {
    this.seen.set(path, this.contentOf(path));
    return this.files.read(path);
  }

  /** True when a file has changed, came or went since the last call; told once a change. */
  changed(): boolean {
    const changed = [...this.seen].filter(([path, before]) => this.contentOf(path) !== before);
    changed.forEach(([path]) => this.seen.set(path, this.contentOf(path)));
    return changed.length > 0;
  }

  private contentOf(path: string): string {
    const content = readText(this.files, path);
    return 'fault' in content ? `\0${content.fault}` : content.text;
  }
}
