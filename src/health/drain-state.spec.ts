import { describe, expect, it, vi } from 'vitest';
import { DrainState } from './drain-state.js';

describe('DrainState', () => {
  it('should go from starting to ready to draining and never back', () => {
    const drain = new DrainState();
    expect(drain.phase).toBe('starting');
    drain.markReady();
    expect(drain.phase).toBe('ready');
    drain.beginDrain();
    drain.markReady();
    expect(drain.phase).toBe('draining');
    expect(drain.draining).toBe(true);
  });

  it('should tell its observers and abort its signal, once', () => {
    const drain = new DrainState();
    const observer = vi.fn();
    drain.onDrain(observer);
    drain.beginDrain();
    drain.beginDrain();
    expect(observer).toHaveBeenCalledTimes(1);
    expect(drain.signal.aborted).toBe(true);
  });

  it('should tell a late observer at once and forget one that has left', () => {
    const drain = new DrainState();
    const left = vi.fn();
    drain.onDrain(left)();
    drain.beginDrain();
    const late = vi.fn();
    drain.onDrain(late);
    expect(left).not.toHaveBeenCalled();
    expect(late).toHaveBeenCalledTimes(1);
  });
});
