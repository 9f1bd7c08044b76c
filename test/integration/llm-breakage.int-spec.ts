import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LlmConfig } from '../../src/config/config.types.js';
import { freePort } from '../support/free-port.js';
import { LlmBench } from '../support/llm-bench.js';
import {
  anthropic,
  bytes,
  cutAfter,
  EVENT_STREAM,
  hangAfter,
  openai,
  ScriptedLlm,
  status,
} from '../support/scripted-llm.js';

let llm: ScriptedLlm;

beforeEach(async () => {
  llm = await ScriptedLlm.start();
});

afterEach(() => llm.end());

const hello = openai.says('Hello');

function bench(config: Partial<LlmConfig> = {}, fallback = false): LlmBench {
  return new LlmBench(llm, { config, fallback });
}

/** The same stream, cut after every byte of a character that has several. */
function splitInside(...events: readonly string[]) {
  const all = Buffer.from(events.join(''));
  const ends = [...all.keys()].filter((index) => (all[index] ?? 0) > 0x7f).map((at) => at + 1);
  return bytes(...[0, ...ends].map((start, n) => all.subarray(start, ends[n] ?? all.length)));
}

describe('what a provider may do to a stream', () => {
  it.each([
    ['openai-compatible', [openai.chunk({ content: '告警🔥' }), openai.chunk({}, 'stop')]],
    [
      'anthropic',
      [
        anthropic.start,
        anthropic.block(0, { type: 'text', text: '' }, { type: 'text_delta', text: '告警🔥' }),
        anthropic.end('end_turn'),
      ],
    ],
  ] as const)('should read characters that packets split (%s)', async (provider, events) => {
    llm.script(splitInside(...events));
    const told = await bench({ provider }).ask('hi');
    expect(told.text).toBe('告警🔥');
    expect(told.fail).toBeUndefined();
  });

  it('should take an answer without [DONE], when it says how it ended', async () => {
    llm.script(bytes(openai.chunk({ content: 'Hello' }), openai.chunk({}, 'stop')));
    expect(await bench().ask('hi')).toMatchObject({ text: 'Hello', fail: undefined });
  });

  it('should put a tool call together that comes in pieces, and read past empty choices', async () => {
    const piece = (call: object): string => openai.chunk({ tool_calls: [{ index: 0, ...call }] });
    const empty = openai.event({ id: 'c', model: 'm', choices: [] });
    llm.script(
      bytes(
        empty,
        piece({ id: 'call_1', type: 'function', function: { name: 'count_alerts' } }),
        piece({ function: { arguments: '{"by":' } }),
        empty,
        piece({ function: { arguments: '["seve' } }),
        piece({ function: { arguments: 'rity"]}' } }),
        openai.chunk({}, 'tool_calls'),
        openai.event({ id: 'c', model: 'm', choices: [], usage: { prompt_tokens: 1 } }),
        openai.done,
      ),
      hello,
    );
    const told = await bench().ask('hi');
    expect(told.text).toBe('Hello');
    expect(told.tools).toMatchObject([{ name: 'count_alerts', outcome: 'success' }]);
  });

  it('should tell the model when the arguments of its call are no JSON', async () => {
    llm.script(openai.calls({ id: 'c', name: 'list_alerts', args: '{"limit": ' }), hello);
    const told = await bench().ask('hi');
    expect(told.text).toBe('Hello');
    expect(told.tools).toMatchObject([{ outcome: 'failed' }]);
    expect(openai.resultsIn(llm.requests[1]!).join()).toMatch(/Invalid input/);
  });

  it('should mark an answer that its token limit cut', async () => {
    llm.script(bytes(openai.chunk({ content: 'Half an' }), openai.chunk({}, 'length')));
    const told = await bench().ask('hi');
    expect(told.text).toMatch(/^Half an\n\n_The answer ends here/);
    expect(told.fail).toBeUndefined();
  });
});

describe('a model that fails', () => {
  const page = '<html>login</html>';
  const block = anthropic.event('content_block_start', {
    index: 0,
    content_block: { type: 'text', text: '' },
  });
  const delta = anthropic.event('content_block_delta', {
    index: 0,
    delta: { type: 'text_delta', text: 'Hel' },
  });
  const half = openai.chunk({ content: 'Half a' });
  it.each([
    ['cut mid-token', cutAfter(half, 'data: {"id":"c","choi'), /broke off/],
    ['ended without a finish', bytes(half), /broke off/],
    ['wrong JSON in the stream', bytes(half, 'data: {"id": nonsense\n\n'), /not understood/],
    ['JSON of another shape', bytes('data: {"choices": 7}\n\n', openai.done), /not understood/],
    ['a page instead of a stream', status(200, page), /broke off|empty|not understood/],
    ['nothing at all', bytes(), /broke off|empty/],
    ['only empty choices', bytes(openai.event({ choices: [] }), openai.done), /broke off|empty/],
    ['an empty answer', bytes(openai.chunk({ content: '' }), openai.chunk({}, 'stop')), /empty/],
    ['spaces only', openai.says(' \n '), /empty answer/],
    ['its limit before a word', bytes(openai.chunk({}, 'length')), /token limit/],
    ['a content filter', bytes(half, openai.chunk({}, 'content_filter')), /content filter/],
    ['an error in the stream', bytes(half, openai.event({ error: { message: 'x' } })), /broke off/],
    ['401', status(401), /refused the gateway’s key \(HTTP 401\)/],
    ['404', status(404), /refused the request \(HTTP 404\)/],
    ['a redirect', status(302, '', { location: 'http://127.0.0.1:1/' }), /redirects elsewhere/],
    ['a quota that is used up', status(429, { error: { code: 'insufficient_quota' } }), /no more/],
  ])('should fail with a reason: %s', async (_, script, reason) => {
    llm.script(script);
    const told = await bench().ask('hi');
    expect(told.fail).toMatch(reason);
    expect(told.frames.at(-1)?.kind).toBe('fail');
  });

  it.each([
    ['cut mid-token', cutAfter(anthropic.start, block, delta, 'event: content_bl'), /broke off/],
    ['ended without a stop', bytes(anthropic.start, block, delta), /broke off/],
    ['wrong JSON', bytes(anthropic.start, block, 'event: x\ndata: {no\n\n'), /not understood/],
    [
      'an error in the stream',
      bytes(
        anthropic.start,
        block,
        delta,
        anthropic.event('error', { error: { type: 'x', message: 'y' } }),
      ),
      /broke off/,
    ],
    ['nothing at all', bytes(), /broke off|empty/],
    ['an empty answer', bytes(anthropic.start, anthropic.end('end_turn')), /empty/],
    ['a refusal', bytes(anthropic.start, anthropic.end('refusal')), /content filter/],
  ])('should fail with a reason, by Anthropic: %s', async (_, script, reason) => {
    llm.script(script);
    const told = await bench({ provider: 'anthropic' }).ask('hi');
    expect(told.fail).toMatch(reason);
  });

  it('should keep what it said before it failed, and run none of its tools', async () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'list_alerts' } };
    llm.script(cutAfter(half, openai.chunk({ tool_calls: [call] })));
    const told = await bench().ask('hi');
    expect(told.text).toBe('Half a');
    expect(told.tools).toEqual([]);
    expect(told.fail).toMatch(/broke off/);
  });

  it('should not take what it said before a tool for its answer', async () => {
    const call = {
      index: 0,
      id: 'c-1',
      type: 'function',
      function: { name: 'list_alerts', arguments: '{}' },
    };
    llm.script(
      bytes(
        openai.chunk({ content: 'Let me look.' }),
        openai.chunk({ tool_calls: [call] }),
        openai.chunk({}, 'tool_calls'),
        openai.done,
      ),
      bytes(openai.chunk({ content: '' }), openai.chunk({}, 'stop'), openai.done),
    );
    const told = await bench().ask('hi');
    expect(told.text).toBe('Let me look.');
    expect(told.tools).toHaveLength(1);
    expect(told.fail).toMatch(/empty/);
  });

  it('should not wait for ever: before the first byte and in the middle', async () => {
    llm.script(hangAfter(), hangAfter(half));
    expect((await bench({ timeoutMs: 500 }).ask('hi')).fail).toMatch(/in time/);
    const told = await bench({ timeoutMs: 500 }).ask('hi');
    expect(told).toMatchObject({
      text: 'Half a',
      fail: expect.stringMatching(/in time/) as string,
    });
    expect(llm.requests).toHaveLength(2);
  });

  it('should say so when nobody listens', async () => {
    const told = await bench({ baseUrl: `http://127.0.0.1:${await freePort()}/v1` }).ask('你好');
    expect(told.fail).toBe('无法连接语言模型。');
  });
});

describe('retries', () => {
  it.each([
    ['429', status(429)],
    ['429 with a wait', status(429, {}, { 'retry-after': '0' })],
    ['500', status(500)],
    ['503 of a proxy', status(503, '<html>')],
    ['an error as the first event', bytes(openai.event({ error: { message: 'overloaded' } }))],
    ['a reset before the first token', cutAfter(openai.chunk({ role: 'assistant' }))],
  ])('should try again after %s', async (_, script) => {
    llm.script(script, script, hello);
    expect(await bench().ask('hi')).toMatchObject({ text: 'Hello', fail: undefined });
    expect(llm.requests).toHaveLength(3);
  });

  it('should try again when Anthropic is overloaded in the stream', async () => {
    const overloaded = anthropic.event('error', {
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
    llm.script(
      bytes(overloaded),
      bytes(anthropic.start, overloaded),
      status(529),
      anthropic.says('Hello'),
    );
    expect((await bench({ provider: 'anthropic' }).ask('hi')).text).toBe('Hello');
  });

  it('should wait twice as long before each further try', async () => {
    const at: number[] = [];
    const down: typeof hello = (request, response) => {
      at.push(performance.now());
      return status(500)(request, response);
    };
    llm.script(down, down, down, down);
    await new LlmBench(llm, { retryBaseMs: 60 }).ask('hi');
    const pauses = at.slice(1).map((time, index) => time - at[index]!);
    // A timer may be a millisecond early; how late it is depends on the machine.
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(60 * 2 ** index - 2);
    }
    expect(pauses).toHaveLength(3);
  });

  it('should wait as long as it is told to', async () => {
    const at: number[] = [];
    const busy = (after: string) => status(429, {}, { 'retry-after-ms': after });
    const noted = (script: ReturnType<typeof busy>): typeof script => {
      return (request, response) => {
        at.push(performance.now());
        return script(request, response);
      };
    };
    llm.script(noted(busy('0')), noted(busy('300')), noted(hello));
    await bench().ask('hi');
    expect(at[2]! - at[1]!).toBeGreaterThanOrEqual(295);
  });

  it('should give up after three, with the reason', async () => {
    llm.script(status(500), status(500), status(500), status(500));
    expect((await bench().ask('hi')).fail).toMatch(/out of order or overloaded \(HTTP 500\)/);
    expect(llm.requests).toHaveLength(4);
  });

  it('should not wait for a provider that wants a minute', async () => {
    llm.script(status(429, {}, { 'retry-after': '60' }));
    expect((await bench().ask('hi')).fail).toMatch(/no more requests/);
    expect(llm.requests).toHaveLength(1);
  });

  it('should not try again once something was said, or when it was refused', async () => {
    llm.script(bytes(openai.chunk({ content: 'Half' }), openai.event({ error: { code: 500 } })));
    expect((await bench().ask('hi')).fail).toMatch(/overloaded/);
    expect(llm.requests).toHaveLength(1);
    llm.script(status(401));
    await bench().ask('hi');
    expect(llm.requests).toHaveLength(1);
  });

  it('should send less when the model says that it was too much', async () => {
    const tooLong = status(400, { error: { message: 'maximum context length is 4096 tokens' } });
    const history = Array.from({ length: 10 }, (_, index) => ({
      turn: index + 1,
      user: `question-${index + 1}-`,
      assistant: 'word '.repeat(100),
      complete: true,
    }));
    llm.script(tooLong, hello, tooLong, tooLong);
    expect((await bench().ask('now?', { history })).text).toBe('Hello');
    const [first, second] = llm.requests;
    expect(second!.text.length).toBeLessThan(first!.text.length);
    expect(second!.text).toContain('now?');
    expect((await bench().ask('now?', { history })).fail).toMatch(/too long.*HTTP 400/);
  });

  it('should refuse a message that can never fit, before anything is sent', async () => {
    const told = await bench({ contextTokens: 6000 }).ask('字'.repeat(7000));
    expect(told.fail).toMatch(/对话对语言模型来说太长/);
    expect(llm.requests).toHaveLength(0);
  });
});

describe('the fallback', () => {
  it('should be the built-in assistant, with a note', async () => {
    llm.script(status(401));
    const told = await bench({}, true).ask('what is firing?');
    expect(told.fail).toBeUndefined();
    expect(told.text).toMatch(/^> The language model refused the gateway’s key \(HTTP 401\)\. /);
    expect(told.text).toContain('HighErrorRate');
  });

  it('should follow what the model had said', async () => {
    llm.script(bytes(openai.chunk({ content: 'I see ' })));
    const told = await bench({}, true).ask('what is firing?');
    expect(told.text).toMatch(/^I see \n\n> The answer of the language model broke off\. /);
    expect(told.text).toContain('HighErrorRate');
  });

  it('should not be asked when the model answers', async () => {
    llm.script((_, response) => {
      response.writeHead(200, EVENT_STREAM);
      response.end([openai.chunk({ content: 'Hi' }), openai.chunk({}, 'stop')].join(''));
    });
    expect((await bench({}, true).ask('what is firing?')).text).toBe('Hi');
  });
});
