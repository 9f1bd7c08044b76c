import { describe, expect, it } from 'vitest';
import { parseRpcRequest, rpcFrame, rpcIdOf, rpcResultText } from './json-rpc.js';

describe('parseRpcRequest', () => {
  it('should keep id, method and params as they came', () => {
    const body = '{"jsonrpc":"2.0","id":0,"method":"GetTask","params":{"id":"x"},"more":1}';
    expect(parseRpcRequest(body)).toEqual({ id: 0, method: 'GetTask', params: { id: 'x' } });
  });

  it('should take a body that is not there for an empty one', () => {
    expect(() => parseRpcRequest(undefined)).toThrow('The body is empty');
  });
});

describe('rpcIdOf', () => {
  it.each([
    ['{"id":5}', 5],
    ['{"id":""}', ''],
    ['{"id":1.5}', null],
    ['{"id":{}}', null],
    ['[{"id":5}]', null],
    ['{"id":5', null],
    [undefined, null],
  ])('should find in %j the id %j', (body, id) => {
    expect(rpcIdOf(body)).toBe(id);
  });
});

describe('rpcFrame', () => {
  it.each(['a"b\\', 0, null, '\u2028\n'])(
    'should make valid JSON on one line with the id %j',
    (id) => {
      const { head, tail } = rpcFrame(id);
      const text = head + '{"task":{}}' + tail;
      expect(text).not.toMatch(/[\r\n]/);
      expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id, result: { task: {} } });
      expect(rpcResultText(id, { task: {} })).toBe(text);
    },
  );
});
