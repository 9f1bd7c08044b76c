import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Which build this is; null for what cannot be known here (seed-behaviours S44). */
export interface BuildIdentity {
  readonly name: string;
  readonly version: string;
  readonly gitCommit: string | null;
  /** The working copy differs from that commit. */
  readonly dirty: boolean | null;
  readonly buildId: string | null;
  readonly node: string;
  readonly platform: string;
  /** Of dist/main.js. */
  readonly entrySha256: string | null;
  readonly protocols: { readonly a2a: readonly string[]; readonly mcp: readonly string[] };
  readonly uid: number | null;
}

/** The versions that are spoken, and no others: what an MCP `initialize` is answered with comes from here. */
export const PROTOCOLS = {
  a2a: ['1.0', '0.3'],
  mcp: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
} as const;

/** Asks git where the code is a working copy, so it takes some milliseconds. */
export function buildIdentity(): BuildIdentity {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const manifest = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  return {
    name: manifest.name,
    version: manifest.version,
    ...gitState(root),
    buildId: null,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    entrySha256: sha256Of(fileURLToPath(new URL('../main.js', import.meta.url))),
    protocols: PROTOCOLS,
    uid: process.getuid?.() ?? null,
  };
}

/** Null unless this folder itself is a working copy: a parent's commit says nothing about it. */
function gitState(root: string): Pick<BuildIdentity, 'gitCommit' | 'dirty'> {
  const top = git(root, 'rev-parse', '--show-toplevel');
  if (top === null || resolve(top) !== resolve(root)) return { gitCommit: null, dirty: null };
  const changes = git(root, 'status', '--porcelain', '--untracked-files=no');
  return {
    gitCommit: git(root, 'rev-parse', 'HEAD'),
    dirty: changes === null ? null : changes !== '',
  };
}

function git(folder: string, ...args: readonly string[]): string | null {
  try {
    return execFileSync('git', ['-C', folder, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5000,
    }).trim();
  } catch {
    return null;
  }
}

function sha256Of(file: string): string | null {
  try {
    return createHash('sha256').update(readFileSync(file)).digest('hex');
  } catch {
    return null;
  }
}
