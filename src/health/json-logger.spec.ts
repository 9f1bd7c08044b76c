import { describe, expect, it } from 'vitest';
import type { GatewayConfig } from '../config/config.types.js';
import { createPino, JsonLogger } from './json-logger.js';

type Level = GatewayConfig['log']['level'];

function logged(
  write: (log: JsonLogger) => void,
  level: Level = 'info',
): Record<string, unknown>[] {
  const lines: string[] = [];
  write(new JsonLogger(createPino(level, { write: (line) => lines.push(line) })));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('JsonLogger', () => {
  it('should write one object a line, with level, time and context', () => {
    const [line] = logged((log) => {
      log.log('hello', 'Gateway');
    });
    expect(line).toMatchObject({ level: 'info', context: 'Gateway', msg: 'hello' });
    expect(line?.['time']).toMatch(/^\d{4}-.*Z$/);
  });

  it('should make an object’s keys fields, with its text in msg or beside it', () => {
    const lines = logged((log) => {
      log.warn({ msg: 'lost', taskId: 't1', tenant: 'acme' }, 'Run');
      log.error({ err: new Error('boom'), taskId: 't1' }, 'a run broke off', 'Run');
    });
    expect(lines[0]).toMatchObject({ msg: 'lost', taskId: 't1', tenant: 'acme', context: 'Run' });
    expect(lines[1]).toMatchObject({
      msg: 'a run broke off',
      taskId: 't1',
      err: { type: 'Error', message: 'boom' },
    });
  });

  it('should keep of an error its text, code, stack and causes, and nothing else', () => {
    const cause = Object.assign(new Error('WRONGTYPE'), {
      command: { name: 'hset', args: ['secret-argument'] },
    });
    const [line] = logged((log) => {
      log.error({ msg: 'x', err: Object.assign(new Error('boom', { cause }), { code: 'E1' }) });
    });
    expect(line?.['err']).toMatchObject({ code: 'E1', cause: { message: 'WRONGTYPE' } });
    expect(JSON.stringify(line)).not.toContain('secret-argument');
  });

  it('should know Nest’s way to pass a stack', () => {
    const [line] = logged((log) => {
      log.error('boom', 'Error: boom\n    at x (y.js:1:1)', 'ExceptionsHandler');
    });
    expect(line).toMatchObject({
      msg: 'boom',
      context: 'ExceptionsHandler',
      stack: 'Error: boom\n    at x (y.js:1:1)',
    });
  });

  it('should keep what is below its level, and Nest’s own chatter, to itself', () => {
    const write = (log: JsonLogger): void => {
      log.debug('fine', 'Gateway');
      log.log('Mapped {/a2a, POST} route', 'RouterExplorer');
    };
    expect(logged(write)).toEqual([]);
    expect(logged(write, 'debug')).toHaveLength(2);
    expect(
      logged((log) => {
        log.fatal('gone');
      }, 'silent'),
    ).toEqual([]);
  });
});
