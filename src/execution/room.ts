import type { Artifact, Task } from '../domain/a2a.js';
import { jsonBytes, WIRE_BYTES } from '../domain/document-size.js';

const KIB = 1024;
/** Text of a task's artifacts; the rest of it goes into files (design section 6). */
const TEXT_BYTES = 2048 * KIB;
/** Beyond it data goes into files, so that some of the room is left for text; not so a small piece. */
const DATA_BYTES = 2048 * KIB;
const SMALL_BYTES = 16 * KIB;
/** Beyond it nothing is added at all, not even the line that refers to a file. */
const FULL_BYTES = 2560 * KIB;
/** What one artifact shows inline. */
const ARTIFACT_BYTES = 1024 * KIB;
/** Kept free for the status that ends a run, and for what is said while it is left. */
const STATUS_BYTES = 128 * KIB;

/**
 * How much a run may still add to its task's document, in bytes of JSON, so that the whole of it
 * stays below what goes over the wire. Every `take…` answers whether there was room, and then there
 * is less of it.
 */
export class Room {
  private used: number;
  private text: number;
  private inArtifact = 0;

  /** @param leg whose artifacts do not count: this run writes them anew. */
  constructor(task: Task, leg: number) {
    const others = (task.artifacts ?? []).filter((one) => !isOfLeg(one, leg));
    this.used = jsonBytes({ ...task, artifacts: others });
    this.text = others.reduce((sum, { parts }) => sum + textBytes(parts), 0);
  }

  /** How many bytes of text there is room for. */
  get textLeft(): number {
    return Math.max(0, Math.min(TEXT_BYTES - this.text, FULL_BYTES - this.used));
  }

  takeText(bytes: number): boolean {
    if (bytes > this.textLeft) return false;
    this.used += bytes;
    this.text += bytes;
    return true;
  }

  /** What follows belongs to another artifact. */
  beginArtifact(): void {
    this.inArtifact = 0;
  }

  /** For a text or data part of a whole artifact. */
  takePart(bytes: number): boolean {
    const most = bytes <= SMALL_BYTES ? FULL_BYTES : DATA_BYTES;
    if (this.inArtifact + bytes > ARTIFACT_BYTES || this.used + bytes > most) return false;
    this.inArtifact += bytes;
    this.used += bytes;
    return true;
  }

  /** For the line that names a file, or a remark. */
  takeLine(bytes: number): boolean {
    if (this.used + bytes > FULL_BYTES) return false;
    this.used += bytes;
    return true;
  }

  /** What the `result` that closes the run may have. */
  get forResult(): number {
    return Math.min(ARTIFACT_BYTES, WIRE_BYTES - STATUS_BYTES - this.used);
  }
}

/** Whether an artifact was made by the runs of this leg (see Bridge). */
function isOfLeg({ artifactId }: Artifact, leg: number): boolean {
  return artifactId.startsWith(`${leg}-`);
}

function textBytes(parts: Artifact['parts']): number {
  return parts.reduce((sum, { text }) => sum + (text === undefined ? 0 : jsonBytes(text)), 0);
}
