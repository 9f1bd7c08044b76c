import { describe, expect, it } from 'vitest';
import { registry as metrics } from '../../metrics/metrics.js';
import { StreamRegistry } from './stream-registry.js';

async function gauge(): Promise<number> {
  const metric = await metrics.getSingleMetric('nightjar_open_streams')!.get();
  return metric.values[0]?.value ?? 0;
}

describe('StreamRegistry', () => {
  it('should count what is open, and show it as a metric', async () => {
    const registry = new StreamRegistry();
    const before = await gauge();
    const remove = registry.add({ close: () => undefined });
    registry.add({ close: () => undefined });
    expect([registry.size, (await gauge()) - before]).toEqual([2, 2]);
    remove();
    remove();
    expect([registry.size, (await gauge()) - before]).toEqual([1, 1]);
  });

  it('should close all, also when each takes itself out', () => {
    const registry = new StreamRegistry();
    const closed: number[] = [];
    for (const n of [1, 2, 3]) {
      const remove = registry.add({
        close: () => {
          closed.push(n);
          remove();
        },
      });
    }
    expect(registry.closed).toBe(false);
    registry.closeAll();
    expect(closed).toEqual([1, 2, 3]);
    expect(registry.size).toBe(0);
    expect(registry.closed).toBe(true);
  });
});
