import type { Artifact, Part } from '../../domain/a2a.js';
import { fileOf } from '../../domain/file-ref.js';

/**
 * `acceptedOutputModes`: media types that a caller can use. Parts it cannot are dropped; text and
 * links never are, and nothing about it is an error (design section 6). n9e's short form `text`
 * stands for `text/*`.
 */
export class OutputModes {
  private constructor(private readonly modes: readonly string[]) {}

  /** Undefined when everything is welcome, which is so when nothing was said. */
  static of(modes: readonly string[] | undefined): OutputModes | undefined {
    const known = (modes ?? []).map(typeOf).filter((mode) => mode !== '');
    if (known.length === 0 || known.includes('*/*') || known.includes('*')) return undefined;
    return new OutputModes(known);
  }

  /** @returns undefined when no part is left: an artifact is never empty. */
  filter(artifact: Artifact): Artifact | undefined {
    const parts = artifact.parts.filter((part) => this.accepts(part));
    if (parts.length === artifact.parts.length) return artifact;
    return parts.length > 0 ? { ...artifact, parts } : undefined;
  }

  private accepts(part: Part): boolean {
    const isFile = part.raw !== undefined || fileOf(part) !== undefined;
    if (isFile) return isText(part) || this.has(part.mediaType ?? 'application/octet-stream');
    if (part.data !== undefined) return this.has(part.mediaType ?? 'application/json');
    return true;
  }

  private has(mediaType: string): boolean {
    const type = typeOf(mediaType);
    const family = type.split('/')[0] ?? '';
    return this.modes.some((mode) => mode === type || mode === family || mode === `${family}/*`);
  }
}

/** A long answer goes on in such files: they are as much text as its beginning is. */
function isText({ mediaType = '' }: Part): boolean {
  return typeOf(mediaType) === 'text/plain';
}

/** Without parameters. */
function typeOf(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}
