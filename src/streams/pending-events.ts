import type { StreamResponse, TaskArtifactUpdate } from '../domain/a2a.js';

/** Bounds of one script call: Redis does nothing else meanwhile. */
const BATCH_EVENTS = 50;
const BATCH_BYTES = 64 * 1024;
/** Adjacent text deltas are joined up to this size. */
const MERGED_TEXT = 16 * 1024;

export interface Batch {
  readonly events: readonly StreamResponse[];
  /** The same as ProtoJSON, one line each. */
  readonly json: readonly string[];
  readonly bytes: number;
  /** Time of the last status among them, ms. */
  readonly statusTs: number | undefined;
}

interface Pending {
  event: StreamResponse;
  statusTs: number | undefined;
  bytes: number;
  /** Where its size could not be told without it. */
  json: string | undefined;
}

/** Events on their way to the log, in order; adjacent text deltas of one artifact become one. */
export class PendingEvents {
  private queue: Pending[] = [];
  private total = 0;

  /** Rough size in bytes of all that waits. */
  get bytes(): number {
    return this.total;
  }

  get isEmpty(): boolean {
    return this.queue.length === 0;
  }

  /** True when `takeBatch` would leave nothing behind. */
  get fitsOneBatch(): boolean {
    return this.queue.length < BATCH_EVENTS && this.total <= BATCH_BYTES;
  }

  add(event: StreamResponse, statusTs: number | undefined): void {
    const last = this.queue.at(-1);
    const merged = last && mergeText(last.event, event);
    if (last !== undefined && merged !== undefined) {
      const grown = textOf(event)?.length ?? 0;
      last.event = merged;
      last.bytes += grown;
      this.total += grown;
      return;
    }
    const text = textOf(event);
    const json = text === undefined ? JSON.stringify(event) : undefined;
    const bytes = json?.length ?? (text?.length ?? 0) + 200;
    this.queue.push({ event, statusTs, bytes, json });
    this.total += bytes;
  }

  /** The next batch, or undefined. An event larger than a batch goes alone. */
  takeBatch(): Batch | undefined {
    if (this.queue.length === 0) return undefined;
    let count = 0;
    let bytes = 0;
    let statusTs: number | undefined;
    for (const pending of this.queue) {
      if (count > 0 && (count >= BATCH_EVENTS || bytes + pending.bytes > BATCH_BYTES)) break;
      count += 1;
      bytes += pending.bytes;
      statusTs = pending.statusTs ?? statusTs;
    }
    const taken = this.queue.splice(0, count);
    this.total -= bytes;
    const events = taken.map((pending) => pending.event);
    const json = taken.map(({ event, json: known }) => known ?? JSON.stringify(event));
    return { events, json, statusTs, bytes: json.reduce((sum, line) => sum + line.length, 0) };
  }
}

/** The text of an artifact event that has nothing but one text part. */
function textOf(event: StreamResponse): string | undefined {
  return 'artifactUpdate' in event && event.artifactUpdate.artifact.parts.length === 1
    ? event.artifactUpdate.artifact.parts[0]?.text
    : undefined;
}

/** One event for two adjacent text deltas of the same artifact, or undefined. */
function mergeText(first: StreamResponse, second: StreamResponse): StreamResponse | undefined {
  const [a, b] = [textOf(first), textOf(second)];
  if (a === undefined || b === undefined || a.length + b.length > MERGED_TEXT) return undefined;
  const [left, right] = [updateOf(first), updateOf(second)];
  if (left === undefined || right?.append !== true) return undefined;
  const [one, two] = [left.artifact, right.artifact];
  if (one.artifactId !== two.artifactId) return undefined;
  if (JSON.stringify(one.parts[0]?.metadata) !== JSON.stringify(two.parts[0]?.metadata)) {
    return undefined;
  }
  const parts = [{ ...one.parts[0], text: a + b }];
  return { artifactUpdate: { ...left, artifact: { ...one, parts } } };
}

function updateOf(event: StreamResponse): TaskArtifactUpdate | undefined {
  return 'artifactUpdate' in event ? event.artifactUpdate : undefined;
}
