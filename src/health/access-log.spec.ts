import { describe, expect, it } from 'vitest';
import { surfaceOf } from './access-log.js';

describe('surfaceOf', () => {
  it.each([
    ['/a2a', 'a2a'],
    ['/a2a/message:send', 'a2a'],
    ['/a2abc', 'other'],
    ['/mcp', 'mcp'],
    ['/.well-known/agent-card.json', 'card'],
    ['/readyz', 'probe'],
    ['/', 'other'],
  ])('should count %s as %s', (path, surface) => {
    expect(surfaceOf(path)).toBe(surface);
  });
});
