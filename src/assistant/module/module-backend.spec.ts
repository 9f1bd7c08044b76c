import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { turnOf } from '../../../test/support/fake-sources.js';
import type { Frame } from '../assistant-backend.js';
import { checkFrame, FrameError } from './frame-check.js';
import { MODULE_FAILED, ModuleBackend } from './module-backend.js';

const NEVER = new AbortController().signal;
const logged: string[] = [];

beforeEach(() => {
  logged.length = 0;
  vi.spyOn(Logger.prototype, 'error').mockImplementation((message: unknown) => {
    logged.push((message as { msg: string }).msg);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function collect(
  frames: (signal: AbortSignal) => AsyncIterable<unknown>,
  signal = NEVER,
): Promise<readonly Frame[]> {
  const backend = new ModuleBackend(
    { run: (_turn, abort) => frames(abort) },
    '/srv/agent.mjs',
    true,
  );
  const result: Frame[] = [];
  for await (const frame of backend.run(turnOf('secret question'), signal)) result.push(frame);
  return result;
}

async function* yielding(...values: readonly unknown[]): AsyncGenerator {
  for (const value of values) yield await Promise.resolve(value);
}

describe('ModuleBackend', () => {
  it('should pass every kind of frame on', async () => {
    const frames: readonly Frame[] = [
      { kind: 'reason', text: 'hm' },
      { kind: 'step', text: 'look' },
      { kind: 'content', text: '' },
      {
        kind: 'artifact',
        name: 'report',
        description: 'a report',
        contentType: 'alert_rule',
        parts: [
          { text: 'a' },
          { data: { deep: [1, null, { a: 'b' }] } },
          { raw: 'aGk=', mediaType: 'text/plain', filename: 'hi.txt' },
          { url: 'https://example.com/x' },
        ],
      },
      { kind: 'memory', data: { a: 1 } },
      { kind: 'input_required', question: 'sure?', expects: 'approval' },
      { kind: 'auth_required', question: 'log in' },
      { kind: 'reject', reason: 'no' },
      { kind: 'fail', reason: 'broken' },
    ];
    expect(await collect(() => yielding(...frames))).toEqual(frames);
    expect(logged).toEqual([]);
  });

  it.each([
    ['an unknown kind', { kind: 'contents', text: 'a' }],
    ['a wrong type', { kind: 'content', text: 5 }],
    ['a missing field', { kind: 'input_required', question: 'sure?' }],
    ['an unknown field', { kind: 'content', text: 'a', txet: 'b' }],
    ['no object', 'hello'],
    ['an artifact without parts', { kind: 'artifact', name: 'a', parts: [] }],
    [
      'a part with two contents',
      { kind: 'artifact', name: 'a', parts: [{ text: 'a', url: 'https://b' }] },
    ],
    ['a raw part that is not base64', { kind: 'artifact', name: 'a', parts: [{ raw: '%%%' }] }],
    ['memory that is no JSON', { kind: 'memory', data: () => 1 }],
  ])('should fail the run on %s, with a fixed text for the user', async (_what, wrong) => {
    const frames = await collect(() => yielding({ kind: 'content', text: 'so far' }, wrong));
    expect(frames).toEqual([
      { kind: 'content', text: 'so far' },
      { kind: 'fail', reason: MODULE_FAILED },
    ]);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatch(
      /tenant acme \(\/srv\/agent\.mjs\) yielded something wrong in task task-1/,
    );
    expect(logged[0]).not.toContain('secret question');
  });

  it('should end the module when a frame is wrong', async () => {
    let ended = false;
    await collect(async function* () {
      try {
        yield await Promise.resolve({ kind: 'nonsense' });
      } finally {
        ended = true;
      }
    });
    expect(ended).toBe(true);
  });

  it('should fail the run when the module throws or gives no iterable', async () => {
    const thrown = await collect(async function* () {
      yield await Promise.resolve({ kind: 'content', text: 'a' });
      throw new Error('disk on fire');
    });
    expect(thrown.at(-1)).toEqual({ kind: 'fail', reason: MODULE_FAILED });
    expect(logged[0]).toContain('disk on fire');
    const none = await collect(() => 5 as unknown as AsyncIterable<unknown>);
    expect(none).toEqual([{ kind: 'fail', reason: MODULE_FAILED }]);
  });

  it('should end with the abort even when the module does not listen', async () => {
    const stop = new AbortController();
    const run = collect(async function* () {
      yield await Promise.resolve({ kind: 'step', text: 'hanging' });
      await new Promise(() => undefined);
    }, stop.signal);
    setTimeout(() => {
      stop.abort(new Error('canceled'));
    }, 20);
    await expect(run).rejects.toThrow('canceled');
    expect(logged).toEqual([]);
  });
});

describe('checkFrame', () => {
  it('should name the field and not its value', () => {
    expect(() => checkFrame({ kind: 'content', text: { secret: 'hunter2' } })).toThrow(FrameError);
    expect(() => checkFrame({ kind: 'content', text: { secret: 'hunter2' } })).toThrow(/at text/);
    expect(() => checkFrame({ kind: 'content', text: { secret: 'hunter2' } })).not.toThrow(
      /hunter2/,
    );
  });
});
