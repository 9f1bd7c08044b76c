import { describe, expect, it } from 'vitest';
import { gatewayConfig } from '../../test/support/gateway-config.js';
import { describeStartFailure } from './start-failure.js';

const config = gatewayConfig({ management: { host: '127.0.0.9' } });

describe('describeStartFailure', () => {
  it.each([
    [{ code: 'EADDRINUSE', port: 17_000 }, 'port 17000 on 127.0.0.1 is taken (EADDRINUSE)'],
    [{ code: 'EADDRINUSE', port: 18_000 }, 'port 18000 on 127.0.0.9 is taken (EADDRINUSE)'],
    [{}, 'the gateway did not start: why'],
  ])('should say of %j: %s', (fields, text) => {
    expect(describeStartFailure(Object.assign(new Error('why'), fields), config)).toBe(text);
  });
});
