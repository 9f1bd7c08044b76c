import { isIPv6 } from 'node:net';
import { ExpiringMap } from './expiring-map.js';

const WINDOW_MS = 60_000;
const MAX_ADDRESSES = 10_000;

export interface Failure {
  /** Failures of this source in this minute, this one included. */
  readonly count: number;
  /** Seconds until it may try again; undefined while it is not over its limit. */
  readonly retryAfter: number | undefined;
}

/**
 * Counts refused tokens per source address. Only refusals are counted and only refusals are ever
 * slowed down: a valid token from the same address (an office behind one address) always passes.
 */
export class FailureLimiter {
  private readonly windows: ExpiringMap<{ count: number; readonly since: number }>;

  constructor(
    private readonly perMinute: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.windows = new ExpiringMap(WINDOW_MS, MAX_ADDRESSES, now);
  }

  fail(address: string): Failure {
    const source = sourceOf(address);
    let window = this.windows.get(source);
    if (window === undefined) {
      window = { count: 0, since: this.now() };
      this.windows.set(source, window, window.since);
    }
    window.count += 1;
    const { count, since } = window;
    if (count <= this.perMinute) return { count, retryAfter: undefined };
    return { count, retryAfter: Math.max(1, Math.ceil((since + WINDOW_MS - this.now()) / 1000)) };
  }

  /** Whether this very failure is the one that took the source over its limit. */
  isFirstOver({ count }: Failure): boolean {
    return count === this.perMinute + 1;
  }
}

/** Who has one IPv6 address has all of its /64. */
function sourceOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length;
  const full = [
    ...groups,
    ...Array<string>(Math.max(0, missing)).fill('0'),
    ...(tail ?? '').split(':'),
  ];
  return full.slice(0, 4).join(':');
}
