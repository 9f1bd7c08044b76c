import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DrainState } from './drain-state.js';
import { Readiness } from './readiness.js';

function build(probe: () => Promise<void>): { drain: DrainState; readiness: Readiness } {
  const drain = new DrainState();
  return { drain, readiness: new Readiness(drain, { probe }) };
}

describe('Readiness', () => {
  beforeEach(() => {
    Logger.overrideLogger(false);
    vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('should not bother Redis before the start and after the end', async () => {
    const probe = vi.fn(() => Promise.resolve());
    const { drain, readiness } = build(probe);
    expect(await readiness.report()).toEqual({ ready: false, status: 'starting' });
    drain.beginDrain();
    expect(await readiness.report()).toEqual({ ready: false, status: 'draining' });
    expect(probe).not.toHaveBeenCalled();
  });

  it('should be ready exactly while the probe succeeds', async () => {
    let fails = false;
    const { drain, readiness } = build(() =>
      fails ? Promise.reject(new Error('NOPERM')) : Promise.resolve(),
    );
    drain.markReady();
    expect(await readiness.report()).toEqual({ ready: true, status: 'ready' });
    fails = true;
    vi.advanceTimersByTime(500);
    expect(await readiness.report()).toEqual({ ready: false, status: 'redis', reason: 'NOPERM' });
    fails = false;
    vi.advanceTimersByTime(500);
    expect(await readiness.report()).toMatchObject({ ready: true });
  });

  it('should give up on a probe that never ends', async () => {
    const { drain, readiness } = build(() => new Promise(() => undefined));
    drain.markReady();
    const report = readiness.report();
    await vi.advanceTimersByTimeAsync(4000);
    expect(await report).toMatchObject({ ready: false, reason: 'no answer within 4000 ms' });
  });

  it('should probe once for many questions at a time', async () => {
    const probe = vi.fn(() => Promise.resolve());
    const { drain, readiness } = build(probe);
    drain.markReady();
    await Promise.all(Array.from({ length: 20 }, () => readiness.report()));
    expect(probe).toHaveBeenCalledTimes(1);
  });
});
