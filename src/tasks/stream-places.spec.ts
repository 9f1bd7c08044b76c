import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallContext } from '../domain/call-context.js';
import type { HeldStreams, StreamTotals } from '../store/redis-stream.store.js';
import { StreamPlaces } from './stream-places.js';

const ann: CallContext = { tenant: 'acme', user: 'ann', scopes: [], requestId: 'r' };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What Redis was told; `others` is what the other instances hold. */
class FakeStore {
  readonly told: (readonly [ofHolder: number, limited: boolean])[] = [];
  readonly tenantTold: number[] = [];
  readonly renewed: number[] = [];
  others = 0;
  alive = true;
  failure: Error | undefined;

  hold(held: HeldStreams, most?: { ofHolder: number }): Promise<StreamTotals | 'holder'> {
    if (this.failure !== undefined) return Promise.reject(this.failure);
    const ofHolder = this.others + held.ofHolder;
    if (most !== undefined && ofHolder > most.ofHolder) return Promise.resolve('holder' as const);
    this.told.push([held.ofHolder, most !== undefined]);
    this.tenantTold.push(held.ofTenant);
    return Promise.resolve({ ofHolder, ofTenant: ofHolder, wasAlive: this.alive });
  }

  renew({ ofTenant }: HeldStreams): Promise<boolean> {
    this.renewed.push(ofTenant);
    return Promise.resolve(this.alive);
  }
}

let store: FakeStore;
let places: StreamPlaces;

let limits = { streamsPerUser: 16, streamsPerTenant: 100, streamsPerToken: 0 };

beforeEach(() => {
  limits = { streamsPerUser: 16, streamsPerTenant: 100, streamsPerToken: 0 };
  store = new FakeStore();
  places = new StreamPlaces(
    { execution: { leaseMs: 8000, heartbeatMs: 10 } } as never,
    { limitsOf: () => limits } as never,
    store as never,
    { instance: 'i1' } as never,
  );
});

describe('StreamPlaces', () => {
  it('should ask Redis for the first stream, and only tell it of more far below the limit', async () => {
    await places.take(ann);
    expect(store.told).toEqual([[1, true]]);
    await Promise.all([places.take(ann), places.take(ann)]);
    // Both were let in before Redis heard of them, and are told together.
    expect(store.told).toHaveLength(1);
    await turn();
    expect(store.told).toEqual([
      [1, true],
      [3, false],
    ]);
  });

  it('should ask again beyond a quarter of the limit, wherever the streams are', async () => {
    store.others = 3;
    await places.take(ann);
    await places.take(ann);
    expect(store.told).toEqual([
      [1, true],
      [2, true],
    ]);
    store.others = 14;
    await expect(places.take(ann)).rejects.toMatchObject({ code: 'QUOTA', retryAfter: 5 });
    await turn();
    // The refused one does not count.
    expect(store.told.at(-1)).toEqual([2, false]);
  });

  it('should count a token of its own where that is limited, and its streams once for the tenant', async () => {
    limits = { ...limits, streamsPerToken: 2 };
    const caller = { ...ann, token: 't1' };
    const giveBack = await places.take(caller);
    await places.take(caller);
    await expect(places.take(caller)).rejects.toMatchObject({
      metadata: { quota: 'streams_token' },
    });
    await turn();
    expect(Math.max(...store.tenantTold)).toBeLessThanOrEqual(3);
    expect(store.tenantTold.at(-1)).toBe(2);
    // Another token of the same user is not the first one's neighbour.
    await places.take({ ...ann, token: 't2' });
    giveBack();
    await turn();
    await places.take(caller);
    await turn();
    expect(store.tenantTold.at(-1)).toBe(3);
  });

  it('should ask again when what it knows is old', async () => {
    await places.take(ann);
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1500);
    await places.take(ann);
    expect(store.told.at(-1)).toEqual([2, true]);
    now.mockRestore();
  });

  it('should give a place back once', async () => {
    const giveBack = await places.take(ann);
    await places.take(ann);
    giveBack();
    giveBack();
    await turn();
    expect(store.told.at(-1)).toEqual([1, false]);
  });

  it('should refuse while Redis has to be asked and is away, and count nothing', async () => {
    store.failure = new Error('away');
    await expect(places.take(ann)).rejects.toThrow('away');
    store.failure = undefined;
    await places.take(ann);
    expect(store.told.at(-1)).toEqual([1, true]);
  });

  it('should renew what is open, and tell all of it again when it had lapsed', async () => {
    await places.take(ann);
    await places.take({ ...ann, user: 'bob' });
    store.alive = false;
    const before = store.told.length;
    places.onApplicationBootstrap();
    await vi.waitFor(() => {
      expect(store.renewed).toContain(2);
      expect(store.told.length).toBeGreaterThanOrEqual(before + 2);
    });
    store.alive = true;
    await places.beforeApplicationShutdown();
  });
});
