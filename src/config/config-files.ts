import { existsSync, readFileSync } from 'node:fs';

/** The files that a configuration may name; tests have their own. */
export interface ConfigFiles {
  /** @throws Error with a `code` such as ENOENT. */
  read(path: string): string;
  exists(path: string): boolean;
}

export const diskFiles: ConfigFiles = {
  read: (path) => readFileSync(path, 'utf8'),
  exists: existsSync,
};

/** The text of a file, or the reason why there is none, e.g. `cannot read /x (ENOENT)`. */
export function readText(
  files: ConfigFiles,
  path: string,
): { readonly text: string } | { readonly fault: string } {
  try {
    return { text: files.read(path) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return { fault: `cannot read ${path} (${code})` };
  }
}
