import { describe, expect, it } from 'vitest';
import { limitReached, secondsOfDayLeft } from './limit-refusal.js';
import { rateLimitFields } from './rate-limit-fields.js';

describe('rateLimitFields', () => {
  it('should write one entry for each limit, with a window or as places', () => {
    expect(
      rateLimitFields([
        { name: 'requests_user', quota: 60, windowSeconds: 60, remaining: 12, resetSeconds: 48 },
        { name: 'active_tenant', quota: 16, remaining: 0 },
      ]),
    ).toEqual({
      'ratelimit-policy':
        '"requests_user";q=60;w=60, "active_tenant";q=16;qu="concurrent-requests"',
      ratelimit: '"requests_user";r=12;t=48, "active_tenant";r=0',
    });
  });
});

describe('limitReached', () => {
  it('should say which limit it is, in words, for metrics and for the header fields', () => {
    const error = limitReached('tasks', 'user', { quota: 5, windowSeconds: 86_400 }, 60);
    expect(error).toMatchObject({
      code: 'QUOTA',
      retryAfter: 60,
      metadata: { quota: 'tasks_user' },
      limit: { name: 'tasks_user', quota: 5, remaining: 0, windowSeconds: 86_400 },
    });
    expect(error.message).toContain('of this user');
    expect(limitReached('requests', 'token', { quota: 5 }, 1).code).toBe('RATE');
  });
});

describe('secondsOfDayLeft', () => {
  it('should end at midnight UTC, and never at once', () => {
    expect(secondsOfDayLeft(Date.parse('2026-11-30T23:59:00Z'))).toBe(60);
    expect(secondsOfDayLeft(Date.parse('2026-11-30T00:00:00Z'))).toBe(86_400);
    expect(secondsOfDayLeft(Date.parse('2026-11-30T23:59:59.999Z'))).toBe(1);
  });
});
