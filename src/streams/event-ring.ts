/** A batch as it was appended. */
export interface RingBatch {
  /** Head of the log before it. */
  readonly expected: number;
  readonly events: readonly string[];
  readonly statusTs: number | undefined;
  readonly bytes: number;
}

/** What a fail-over can lose lies within it (design invariant 5): so long … */
const KEEP_MS = 10_000;
/** … or so many events, … */
const KEEP_EVENTS = 256;
/** … but no more memory than this a run. */
const KEEP_BYTES = 256 * 1024;

/** The last batches of a run, for a log that comes back shorter than was acknowledged. */
export class EventRing {
  private readonly batches: (RingBatch & { readonly at: number })[] = [];
  private bytes = 0;
  private events = 0;

  add(batch: RingBatch, now = performance.now()): void {
    this.batches.push({ ...batch, at: now });
    this.bytes += batch.bytes;
    this.events += batch.events.length;
    for (let oldest = this.batches[0]; oldest !== undefined; oldest = this.batches[0]) {
      const isOld = now - oldest.at > KEEP_MS;
      const isSpare = isOld && this.events - oldest.events.length >= KEEP_EVENTS;
      if (!isSpare && this.bytes <= KEEP_BYTES) return;
      this.batches.shift();
      this.bytes -= oldest.bytes;
      this.events -= oldest.events.length;
    }
  }

  /**
   * The batches that follow the event `head`, the first of them cut to what lies behind it.
   * @returns undefined when the ring does not reach back so far.
   */
  after(head: number): readonly RingBatch[] | undefined {
    const first = this.batches[0];
    if (first === undefined || first.expected > head) return undefined;
    return this.batches
      .filter(({ expected, events }) => expected + events.length > head)
      .map(({ expected, events, statusTs, bytes }) => {
        const known = Math.max(0, head - expected);
        return { expected: expected + known, events: events.slice(known), statusTs, bytes };
      });
  }
}
