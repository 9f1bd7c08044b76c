import { describe, expect, it } from 'vitest';
import type { TaskSummary } from '../store/redis-run.reader.js';
import { taskTable } from './task-table.js';

const NOW = 10_000_000;

function task(over: Partial<TaskSummary> = {}): TaskSummary {
  return {
    tenant: 'acme',
    id: 't-1',
    user: 'ann',
    contextId: 'c',
    state: 'TASK_STATE_WORKING',
    owner: 'abcdef0123456789',
    attempt: 1,
    epoch: 1,
    seq: 12,
    created: NOW - 5_000,
    updated: NOW,
    deadline: 0,
    cancel: '',
    openEffects: 0,
    ...over,
  };
}

describe('taskTable', () => {
  it('should show the oldest first and add up the states', () => {
    const old = task({ id: 't-0', created: NOW - 7_200_000, cancel: 'operator' });
    const asks = task({ id: 't-2', state: 'TASK_STATE_INPUT_REQUIRED', owner: '' });
    const lines = taskTable([task(), old, asks], NOW).split('\n');
    expect(lines[0]).toMatch(/^TASK +TENANT +USER/);
    expect(lines[1]).toMatch(/^t-0 .*working, canceling +2h +12 +1 +abcdef01$/);
    expect(lines[2]).toMatch(/^t-1 .*working +5s/);
    expect(lines[3]).toMatch(/input required .* -$/);
    expect(lines[5]).toBe('2 working, 1 input required');
  });

  it('should keep within the height of the terminal', () => {
    const many = Array.from({ length: 50 }, (_one, n) => task({ id: `t-${n}` }));
    const text = taskTable(many, NOW, 10);
    expect(text.trimEnd().split('\n')).toHaveLength(9);
    expect(text).toContain('50 working (44 more)');
    expect(taskTable([], NOW)).toBe('no live tasks\n');
  });
});
