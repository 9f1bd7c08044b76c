import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.js';
import { gatewayArguments } from './gateway-arguments.js';

describe('gatewayArguments', () => {
  it.each([
    [[], {}],
    [['--config', 'a.yaml'], { file: 'a.yaml' }],
    [['--config=a.yaml'], { file: 'a.yaml' }],
  ])('should read %j', (args, expected) => {
    expect(gatewayArguments(args)).toEqual(expected);
  });

  it.each([[['--conf', 'a.yaml']], [['a.yaml']], [['--config']], [['--demo']]])(
    'should refuse %j',
    (args) => {
      expect(() => gatewayArguments(args)).toThrow(ConfigError);
    },
  );
});
