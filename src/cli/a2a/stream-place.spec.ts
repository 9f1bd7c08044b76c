import { describe, expect, it } from 'vitest';
import { StreamPlace } from './stream-place.js';

function seen(data: unknown, event = 'message', id?: string): StreamPlace {
  const place = new StreamPlace();
  place.see({ event, data: JSON.stringify(data), id });
  return place;
}

describe('StreamPlace', () => {
  const status = (state: string): object => ({ taskId: 't', status: { state } });

  it.each([
    ['a 1.0 task', { task: { id: 't', status: { state: 'TASK_STATE_WORKING' } } }],
    ['a 1.0 status', { statusUpdate: status('TASK_STATE_WORKING') }],
    ['a 1.0 artifact', { artifactUpdate: { taskId: 't', artifact: { artifactId: 'x' } } }],
    ['JSON-RPC', { jsonrpc: '2.0', id: 9, result: { statusUpdate: status('TASK_STATE_WORKING') } }],
    ['a 0.3 task', { jsonrpc: '2.0', id: 9, result: { kind: 'task', id: 't', status: {} } }],
    ['a 0.3 status', { jsonrpc: '2.0', id: 9, result: status('working') }],
  ])('should find the task in %s', (_name, data) => {
    const place = seen(data);
    expect([place.taskId, place.settled]).toEqual(['t', false]);
  });

  it.each([
    'TASK_STATE_COMPLETED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_AUTH_REQUIRED',
    'failed',
    'input-required',
    'canceled',
    'rejected',
  ])('should be settled by %s', (state) => {
    expect(seen({ statusUpdate: status(state) }).settled).toBe(true);
    expect(seen({ result: { task: { id: 't', status: { state } } } }).settled).toBe(true);
  });

  it('should be settled by an error of either binding', () => {
    expect(seen({ error: { code: 500 } }, 'error').settled).toBe(true);
    expect(seen({ jsonrpc: '2.0', id: 1, error: { code: -32603 } }).settled).toBe(true);
  });

  it('should tell news from a repeated snapshot or event', () => {
    const place = new StreamPlace();
    const task = JSON.stringify({ task: { id: 't', status: { state: 'TASK_STATE_WORKING' } } });
    const step = JSON.stringify({ statusUpdate: status('TASK_STATE_WORKING') });
    expect(place.see({ event: 'message', data: task, id: undefined })).toBe(false);
    expect(place.see({ event: 'message', data: task, id: '1-1' })).toBe(true);
    expect(place.see({ event: 'message', data: task, id: '1-1' })).toBe(false);
    expect(place.see({ event: 'message', data: step, id: undefined })).toBe(true);
    expect(place.lastEventId).toBe('1-1');
  });

  it('should survive what is not JSON', () => {
    const place = new StreamPlace();
    expect(place.see({ event: 'message', data: 'nonsense', id: undefined })).toBe(true);
    expect(place.taskId).toBeUndefined();
  });
});
