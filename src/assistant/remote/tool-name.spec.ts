import { describe, expect, it } from 'vitest';
import { Redactor } from '../llm/redactor.js';
import { toolNames as namesWithout } from './tool-name.js';

const redactor = new Redactor(['far-secret-1']);
const toolNames = (remote: string, ids: readonly string[]): ReadonlyMap<string, string> =>
  namesWithout(remote, ids, redactor);
const VALID = /^[A-Za-z0-9_-]{1,64}$/;

describe('toolNames', () => {
  it('should be the remote, two underscores and the id', () => {
    expect([...toolNames('agent-b', ['browser-readonly'])]).toEqual([
      ['browser-readonly', 'agent-b__browser-readonly'],
    ]);
  });

  it('should give every id a valid name of its own, whatever a card holds', () => {
    const ids = [
      'a b',
      'a_b',
      'a.b',
      '巡检',
      '告警',
      '',
      '__',
      'x'.repeat(200),
      `${'x'.repeat(199)}y`,
      'A',
    ];
    const names = toolNames('r', ids);
    expect(new Set(names.values()).size).toBe(ids.length);
    for (const name of names.values()) expect(name).toMatch(VALID);
    expect(names.get('a_b')).toBe('r__a_b');
    expect(names.get('a b')).toMatch(/^r__a_b_[0-9a-f]{8}$/);
    expect(names.get('巡检')).toMatch(/^r__[0-9a-f]{8}$/);
  });

  it('should hold no secret', () => {
    const names = [
      ...toolNames('r', ['a far-secret-1', 'b far-secret-1', 'far-secret-1']).values(),
    ];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).not.toContain('secret');
  });

  it('should not depend on the order, and count an id once', () => {
    const one = toolNames('r', ['a b', 'a.b', 'c', 'c']);
    const two = toolNames('r', ['c', 'a.b', 'a b']);
    expect(one.size).toBe(3);
    for (const [id, name] of one) expect(two.get(id)).toBe(name);
  });
});
