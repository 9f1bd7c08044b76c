import type { Reply } from '../../support/a2a-client.js';
import type { Ids } from './rows.js';

/** What differs between any two answers, whoever asks. */
const EACH_TIME = ['date', 'x-request-id', 'content-length'];
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g;
/** SSE: when to come back, spread at random. */
const RETRY = /^retry: \d+$/gm;

/** An answer in which neither the ids that were asked for show, nor what is new each time. */
export function blind({ status, headers, text }: Reply, ids: Ids): Record<string, unknown> {
  const named = Object.entries<string>({ ...ids }).sort(([, a], [, b]) => b.length - a.length);
  const seen = named.reduce((rest, [name, id]) => rest.replaceAll(id, `<${name}>`), text);
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => !EACH_TIME.includes(name)),
    ),
    text: seen.replace(UUID, '<uuid>').replace(TIME, '<time>').replace(RETRY, 'retry'),
  };
}

/** How long answers for what is there and for what is missing have taken. */
export class Timings {
  private readonly taken = { real: [] as number[], random: [] as number[] };

  add(kind: 'real' | 'random', ms: number): void {
    this.taken[kind].push(ms);
  }

  merge({ taken }: Timings): void {
    this.taken.real.push(...taken.real);
    this.taken.random.push(...taken.random);
  }

  /** Whether the two are of one order of magnitude: medians, since a busy machine pauses anything. */
  get alike(): boolean {
    const [real, random] = [median(this.taken.real), median(this.taken.random)];
    const [less, more] = [Math.min(real, random), Math.max(real, random)];
    // Below that nobody tells one answer over a network from another.
    return more < 10 * less || more - less < 50;
  }

  toString(): string {
    return `${median(this.taken.real).toFixed(1)} ms there, ${median(this.taken.random).toFixed(1)} ms missing`;
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
