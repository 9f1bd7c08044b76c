import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { GatewayConfig } from '../../config/config.types.js';
import { CommentClock } from './comment-clock.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('should give each stream its own turn every sseCommentMs, and stop its timer with the last', () => {
  const execution = { sseCommentMs: 15_000 } as GatewayConfig['execution'];
  const clock = new CommentClock({ execution });
  const [early, late] = [{ comment: vi.fn() }, { comment: vi.fn() }];
  const first = clock.join(early);
  vi.advanceTimersByTime(7000);
  const second = clock.join(late);
  vi.advanceTimersByTime(8000);
  expect([early.comment.mock.calls.length, late.comment.mock.calls.length]).toEqual([1, 0]);
  vi.advanceTimersByTime(7000);
  expect([early.comment.mock.calls.length, late.comment.mock.calls.length]).toEqual([1, 1]);
  vi.advanceTimersByTime(30_000);
  expect([early.comment.mock.calls.length, late.comment.mock.calls.length]).toEqual([3, 3]);
  clock.leave(early, first);
  clock.leave(early, first);
  expect(vi.getTimerCount()).toBe(1);
  clock.leave(late, second);
  expect(vi.getTimerCount()).toBe(0);
});
