import { describe, expect, it, vi } from 'vitest';
import { RunLostError } from '../streams/run-lost-error.js';
import { RunStop } from './run-stop.js';

const CANCEL = { kind: 'cancel', mark: 'user' } as const;
const never = new Promise<string>(() => undefined);

describe('RunStop', () => {
  it('should hand on what comes next while the run goes on, and how it fails', async () => {
    const stop = new RunStop();
    expect(await stop.untilStopped(Promise.resolve('frame'))).toBe('frame');
    await expect(stop.untilStopped(Promise.reject(new Error('bad')))).rejects.toThrow('bad');
    expect([stop.reason, stop.lost, stop.signal.aborted]).toEqual([undefined, undefined, false]);
  });

  it('should wake the last waiter when it is told to stop, and tell the backend why', async () => {
    const stop = new RunStop();
    await stop.untilStopped(Promise.resolve('frame'));
    const waiting = stop.untilStopped(never);
    stop.tell(CANCEL);
    expect(await waiting).toBe('stopped');
    expect(stop.signal.reason).toBe(CANCEL);
  });

  it('should stop by the first reason, except that leaving outranks it', () => {
    const stop = new RunStop();
    stop.tell({ kind: 'budget' });
    stop.tell(CANCEL);
    expect(stop.reason).toEqual({ kind: 'budget' });
    stop.tell({ kind: 'leave' });
    expect(stop.reason).toEqual({ kind: 'leave' });
  });

  it('should wait for nothing more once the task is lost, and mind no late failure', async () => {
    const unhandled = vi.fn();
    process.once('unhandledRejection', unhandled);
    const stop = new RunStop();
    const lost = new RunLostError('fenced');
    stop.lose(lost);
    expect(await stop.untilStopped(Promise.reject(new Error('late')))).toBe('stopped');
    expect([stop.lost, stop.signal.reason, stop.reason]).toEqual([lost, lost, undefined]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
