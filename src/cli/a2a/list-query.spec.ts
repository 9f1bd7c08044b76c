import { describe, expect, it } from 'vitest';
import { EXIT } from './exit-code.js';
import { listQuery } from './list-query.js';

describe('listQuery', () => {
  it('should be empty without flags', () => {
    expect(listQuery({})).toEqual({});
  });

  it.each(['working', 'WORKING', 'TASK_STATE_WORKING'])('should know the state %s', (status) => {
    expect(listQuery({ status })).toEqual({ status: 'TASK_STATE_WORKING' });
  });

  it('should take the rest as it is', () => {
    const flags = { contextId: 'c', pageSize: '5', pageToken: 'p', status: 'input-required' };
    expect(listQuery(flags)).toEqual({
      contextId: 'c',
      pageSize: 5,
      pageToken: 'p',
      status: 'TASK_STATE_INPUT_REQUIRED',
    });
  });

  it.each([{ status: 'sleeping' }, { pageSize: 'all' }, { pageSize: '-1' }])(
    'should refuse %j',
    (flags) => {
      expect(() => listQuery(flags)).toThrow(expect.objectContaining({ exitCode: EXIT.usage }));
    },
  );
});
