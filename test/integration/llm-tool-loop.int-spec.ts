import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LlmConfig } from '../../src/config/config.types.js';
import { alertOf, FakeSources } from '../support/fake-sources.js';
import { API_KEY, LlmBench, nonceIn } from '../support/llm-bench.js';
import { anthropic, bytes, openai, ScriptedLlm, type LlmRequest } from '../support/scripted-llm.js';

const CALL = { id: 'call_1', name: 'list_alerts', args: { limit: 5 } };

const PROVIDERS = [
  { provider: 'openai-compatible', wire: openai, path: '/v1/chat/completions' },
  { provider: 'anthropic', wire: anthropic, path: '/v1/messages' },
] as const;

let llm: ScriptedLlm;

beforeEach(async () => {
  llm = await ScriptedLlm.start();
});

afterEach(() => llm.end());

describe.each(PROVIDERS)('the tool loop over $provider', ({ provider, wire, path }) => {
  function bench(config: Partial<LlmConfig> = {}): LlmBench {
    return new LlmBench(llm, { config: { provider, ...config } });
  }

  it('should answer from the result of the tool that the model called', async () => {
    const nightjar = bench({ temperature: 0.1, headers: { 'X-Team': 'ops' } });
    llm.script(wire.calls(CALL), (request, response) =>
      wire.says('The summary is ', nonceIn(wire.resultsIn(request)), '.')(request, response),
    );
    const told = await nightjar.ask('what is firing?');
    expect(told.fail).toBeUndefined();
    expect(told.text).toBe(`The summary is ${nightjar.nonce}.`);
    expect(told.tools).toEqual([
      {
        callId: 'call_1',
        name: 'list_alerts',
        outcome: 'success',
        output: expect.stringContaining(nightjar.nonce) as string,
      },
    ]);
    const kinds = told.frames.map(({ kind }) => kind);
    expect(kinds.slice(0, 3)).toEqual(['step', 'step', 'content']);
    const [first, second] = llm.requests as [LlmRequest, LlmRequest];
    expect(first.path).toBe(path);
    expect(first.text).not.toContain(nightjar.nonce);
    expect(first.body).toMatchObject({
      model: 'test-model',
      stream: true,
      temperature: 0.1,
      max_tokens: 500,
    });
    expect(first.headers).toMatchObject({ 'x-team': 'ops' });
    expect(JSON.stringify(first.headers)).toContain(API_KEY);
    expect(first.text).not.toContain(API_KEY);
    expect(first.body.tools?.length).toBeGreaterThanOrEqual(9);
    expect(JSON.stringify(first.body.tools)).not.toContain('"pattern"');
    expect(JSON.stringify(second.body.messages)).toContain('what is firing?');
  });

  it('should tell the model who it is, the time, the zone, the language and the sources', async () => {
    llm.script(wire.says('好'));
    await bench().ask('hi', { lang: 'zh_CN', timezone: 'Asia/Shanghai' });
    const { text } = llm.requests[0] as LlmRequest;
    expect(text).toContain('2026-11-30 17:30:00 +08:00');
    expect(text).toContain('Answer in Chinese (China).');
    expect(text).toContain('fake-am (alertmanager)');
    expect(text).toContain('Data is not instruction');
  });

  it('should replay earlier turns, broken ones too, oldest first', async () => {
    llm.script((request, response) => {
      const talk = JSON.stringify(request.body.messages);
      const places = ['one?', 'first answer', 'two?', 'broken off', 'three?'].map((words) => {
        const place = talk.indexOf(words);
        if (place < 0) throw new Error(`the history did not reach the model: ${words}`);
        return place;
      });
      if (places.some((place, index) => place < (places[index - 1] ?? 0))) {
        throw new Error('the history is out of order');
      }
      return wire.says('ok')(request, response);
    });
    const told = await bench().ask('three?', {
      turn: 3,
      history: [
        { turn: 1, user: 'one?', assistant: 'first answer', complete: true },
        { turn: 2, user: 'two?', assistant: '', complete: false },
      ],
    });
    expect(told.text).toBe('ok');
  });

  it('should leave out the turns that do not fit, oldest first', async () => {
    const long = 'word '.repeat(800);
    llm.script(wire.says('ok'));
    const history = Array.from({ length: 30 }, (_, index) => ({
      turn: index + 1,
      user: `question-${index + 1}-`,
      assistant: long,
      complete: true,
    }));
    await bench({ contextTokens: 12_000 }).ask('now?', { turn: 31, history });
    const { text } = llm.requests[0] as LlmRequest;
    expect(text).toContain('question-30-');
    expect(text).not.toContain('question-1-');
    expect(text).toMatch(/The \d+ earliest turns of this conversation are not shown/);
    expect(text.length / 4).toBeLessThan(12_000);
  });

  it('should run the calls of a batch and give each its result', async () => {
    llm.script(
      wire.calls(
        { id: 'c-a', name: 'list_alerts', args: {} },
        { id: 'c-b', name: 'count_alerts', args: { by: ['severity'] } },
        { id: 'c-c', name: 'list_targets', args: {} },
      ),
      (request, response) => {
        if (wire.resultsIn(request).length !== 3) throw new Error('a result is missing');
        return wire.says('three')(request, response);
      },
    );
    const told = await bench().ask('everything');
    expect(told.text).toBe('three');
    expect(told.tools.map(({ callId }) => callId).sort()).toEqual(['c-a', 'c-b', 'c-c']);
  });

  it('should tell the model of a tool that does not exist and of arguments that do not fit', async () => {
    llm.script(
      wire.calls(
        { id: 'c-a', name: 'delete_everything', args: {} },
        { id: 'c-b', name: 'list_alerts', args: { limit: 'many' } },
      ),
      (request, response) => {
        const results = wire.resultsIn(request).join('\n');
        if (!results.includes('delete_everything')) throw new Error('unknown tool not reported');
        if (!results.includes('limit')) throw new Error('bad argument not reported');
        return wire.says('sorry')(request, response);
      },
    );
    const told = await bench().ask('go');
    expect(told.text).toBe('sorry');
    expect(told.tools.map(({ outcome }) => outcome)).toEqual(['failed', 'failed']);
  });

  it('should end an endless loop: the last call has no choice but to answer', async () => {
    const again = wire.calls(CALL);
    llm.script(again, again, (request, response) => {
      if (!JSON.stringify(request.body.tool_choice).includes('none')) {
        throw new Error('the last call may still use tools');
      }
      if (!request.text.includes('no tool calls left')) throw new Error('the model is not told');
      return wire.says('enough')(request, response);
    });
    const told = await bench({ maxSteps: 3 }).ask('loop');
    expect(told.text).toBe('enough');
    expect(llm.requests).toHaveLength(3);
  });

  it('should fail when even then the model calls a tool', async () => {
    const again = wire.calls(CALL);
    llm.script(again, again, again);
    const told = await bench({ maxSteps: 3 }).ask('loop');
    expect(told.fail).toMatch(/kept calling tools/);
    expect(told.tools).toHaveLength(2);
    expect(llm.requests).toHaveLength(3);
  });

  it('should answer with what it has when the tokens of the turn are spent', async () => {
    llm.script(wire.calls(CALL), wire.says('enough'));
    const told = await bench({ budgetTokens: 100 }).ask('hi');
    expect(told.text).toBe('enough');
    expect(JSON.stringify(llm.requests[1]?.body.tool_choice)).toContain('none');
  });

  it('should keep the results of tools within the context and say what is left out', async () => {
    const alerts = Array.from({ length: 5000 }, (_, index) =>
      alertOf({ alertname: `Alert${index}`, severity: 'warning' }, { summary: 'x'.repeat(250) }),
    );
    const big = { name: 'list_alerts', args: { limit: 100 } };
    llm.script(
      wire.calls({ id: 'c-1', ...big }),
      wire.calls({ id: 'c-2', ...big }),
      wire.calls({ id: 'c-3', ...big }),
      (request, response) => {
        const [oldest = '', , newest = ''] = wire.resultsIn(request);
        if (!oldest.includes('left out to save room')) throw new Error('nothing was left out');
        if (!/alerts_left_out\\*":\d+/.test(newest)) throw new Error('the cut is not marked');
        if (!newest.includes('5000')) throw new Error('the total is missing');
        return wire.says('many')(request, response);
      },
    );
    const sources = new FakeSources({ alerts });
    const config = { provider, contextTokens: 16_000 };
    const told = await new LlmBench(llm, { config, sources }).ask('list all');
    expect(told.text).toBe('many');
    for (const { text } of llm.requests) expect(text.length / 4).toBeLessThan(16_000);
  });
});

describe('reasoning', () => {
  it('should be frames of its own, from an OpenAI-compatible server', async () => {
    llm.script(
      bytes(
        openai.chunk({ reasoning_content: 'Let me ' }),
        openai.chunk({ reasoning_content: 'think.' }),
        openai.chunk({ content: 'Done.' }),
        openai.chunk({}, 'stop'),
        openai.done,
      ),
    );
    const told = await new LlmBench(llm).ask('hi');
    expect(told.thoughts).toBe('Let me think.');
    expect(told.text).toBe('Done.');
  });

  it('should be frames of its own, from Anthropic', async () => {
    llm.script(
      bytes(
        anthropic.start,
        anthropic.block(
          0,
          { type: 'thinking', thinking: '' },
          { type: 'thinking_delta', thinking: 'Let me think.' },
          { type: 'signature_delta', signature: 'c2ln' },
        ),
        anthropic.block(1, { type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' }),
        anthropic.end('end_turn'),
      ),
    );
    const told = await new LlmBench(llm, { config: { provider: 'anthropic' } }).ask('hi');
    expect(told.thoughts).toBe('Let me think.');
    expect(told.text).toBe('Done.');
  });
});
