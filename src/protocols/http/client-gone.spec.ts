import { EventEmitter } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { ClientGone } from './client-gone.js';

class Response extends EventEmitter {
  destroyed = false;
}

describe('ClientGone', () => {
  it('should tell each listener once when the response is over, but none that was taken away', () => {
    const response = new Response();
    const gone = new ClientGone(response as never);
    const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
    for (const listener of [first, second, third]) gone.addEventListener('abort', listener);
    gone.removeEventListener('abort', second);
    gone.removeEventListener('abort', () => undefined);
    expect([gone.aborted, first.mock.calls.length]).toEqual([false, 0]);
    response.emit('close');
    response.emit('close');
    expect(gone.aborted).toBe(true);
    expect([first, second, third].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1]);
  });

  it('should be over at once for a response that is, as an aborted signal is', () => {
    const response = new Response();
    response.destroyed = true;
    const gone = new ClientGone(response as never);
    const listener = vi.fn();
    gone.addEventListener('abort', listener);
    response.emit('close');
    expect([gone.aborted, listener.mock.calls.length]).toEqual([true, 0]);
  });
});
