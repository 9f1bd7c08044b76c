/** Entries that are forgotten after a fixed time, and the oldest first beyond a number. */
export class ExpiringMap<V> {
  private readonly entries = new Map<string, { readonly value: V; readonly until: number }>();

  constructor(
    private readonly ttlMs: number,
    private readonly max: number,
    private readonly now: () => number,
  ) {}

  get(key: string): V | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    if (this.now() < entry.until) return entry.value;
    this.entries.delete(key);
    return undefined;
  }

  /** @param since when the value was true; its time runs from there. */
  set(key: string, value: V, since: number): void {
    this.entries.delete(key);
    const oldest = this.entries.keys().next();
    if (this.entries.size >= this.max && oldest.done !== true) this.entries.delete(oldest.value);
    this.entries.set(key, { value, until: since + this.ttlMs });
  }

  delete(key: string): void {
    this.entries.delete(key);
  }

  get size(): number {
    return this.entries.size;
  }
}
