import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Frame } from '../../src/assistant/assistant-backend.js';
import type { MetricsSource } from '../../src/assistant/sources/source.types.js';
import { FakeSources, turnOf } from '../support/fake-sources.js';
import { LlmBench } from '../support/llm-bench.js';
import { hangAfter, openai, anthropic, ScriptedLlm, status } from '../support/scripted-llm.js';
import { eventually, sleep, within } from '../support/wait.js';

/** What a run aborts with: an object, not an error. */
const CANCEL = { kind: 'cancel', mark: 'user' };

let llm: ScriptedLlm;

beforeEach(async () => {
  llm = await ScriptedLlm.start();
});

afterEach(() => llm.end());

/** Runs a turn until it ends; `onFrame` may abort it. */
async function outcomeOf(
  nightjar: LlmBench,
  abort: AbortController,
  onFrame: (frame: Frame) => void = () => undefined,
): Promise<{ frames: Frame[]; thrown: unknown }> {
  const frames: Frame[] = [];
  try {
    for await (const frame of nightjar.backend.run(turnOf('what is firing?'), abort.signal)) {
      frames.push(frame);
      onFrame(frame);
    }
  } catch (error) {
    return { frames, thrown: error };
  }
  return { frames, thrown: undefined };
}

describe('an abort', () => {
  it.each(['openai-compatible', 'anthropic'] as const)(
    'should close the connection to the model in the middle of its answer (%s)',
    async (provider) => {
      const begun =
        provider === 'anthropic'
          ? [
              anthropic.start,
              anthropic.event('content_block_start', {
                index: 0,
                content_block: { type: 'text', text: '' },
              }),
              anthropic.event('content_block_delta', {
                index: 0,
                delta: { type: 'text_delta', text: 'One two ' },
              }),
            ]
          : [openai.chunk({ content: 'One two ' })];
      llm.script(hangAfter(...begun));
      const abort = new AbortController();
      const nightjar = new LlmBench(llm, { config: { provider }, fallback: true });
      const { frames, thrown } = await within(
        'the end of the turn',
        5000,
        outcomeOf(nightjar, abort, () => {
          abort.abort(CANCEL);
        }),
      );
      expect(thrown).toBe(CANCEL);
      expect(frames).toEqual([{ kind: 'content', text: 'One two ' }]);
      await within('the abort at the model', 5000, llm.requests[0]!.gone);
    },
  );

  it('should close it before the first byte as well', async () => {
    llm.script(hangAfter());
    const abort = new AbortController();
    const run = outcomeOf(new LlmBench(llm), abort);
    await eventually('the request', () => llm.requests.length === 1);
    abort.abort(CANCEL);
    expect((await within('the end', 5000, run)).thrown).toBe(CANCEL);
    await within('the abort at the model', 5000, llm.requests[0]!.gone);
  });

  it('should stop the tools in flight and start nothing that waits, nor ask the model again', async () => {
    const started: string[] = [];
    const stopped: string[] = [];
    const sources = new FakeSources();
    const query: MetricsSource['query'] = (expr, _at, signal) => {
      started.push(expr);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          stopped.push(expr);
          reject(signal.reason as Error);
        });
      });
    };
    Object.assign(sources.metrics.metrics!, { query });
    const calls = Array.from({ length: 10 }, (_, index) => ({
      id: `c-${index}`,
      name: 'query_metrics',
      args: { expr: `up${index}` },
    }));
    llm.script(openai.calls(...calls));
    const abort = new AbortController();
    const run = outcomeOf(new LlmBench(llm, { sources }), abort);
    await eventually('tools', () => started.length === 4);
    abort.abort(CANCEL);
    const { frames, thrown } = await within('the end', 5000, run);
    expect(thrown).toBe(CANCEL);
    await sleep(50);
    expect(started).toHaveLength(4);
    expect(stopped).toEqual(started);
    expect(llm.requests).toHaveLength(1);
    expect(frames.some((frame) => frame.kind === 'step' && frame.tool !== undefined)).toBe(false);
  });

  it('should end a pause between two tries', async () => {
    llm.script(status(429, {}, { 'retry-after': '10' }));
    const abort = new AbortController();
    const run = outcomeOf(new LlmBench(llm), abort);
    await eventually('the request', () => llm.requests.length === 1);
    await sleep(50);
    abort.abort(CANCEL);
    expect((await within('the end', 5000, run)).thrown).toBe(CANCEL);
    await sleep(50);
    expect(llm.requests).toHaveLength(1);
  });

  it('should do nothing when it came before the start', async () => {
    const abort = new AbortController();
    abort.abort(CANCEL);
    expect((await outcomeOf(new LlmBench(llm), abort)).thrown).toBe(CANCEL);
    expect(llm.requests).toHaveLength(0);
  });

  it('should follow when whoever reads the frames goes away', async () => {
    llm.script(hangAfter(openai.chunk({ content: 'One two ' })));
    const run = new LlmBench(llm).backend.run(turnOf('hi'), new AbortController().signal);
    for await (const frame of run) {
      expect(frame.kind).toBe('content');
      break;
    }
    await within('the abort at the model', 5000, llm.requests[0]!.gone);
  });

  it('should leave no connection behind when the backend closes', async () => {
    llm.script(hangAfter(openai.chunk({ content: 'One two ' })));
    const nightjar = new LlmBench(llm);
    const run = nightjar.ask('hi');
    await eventually('the request', () => llm.requests.length === 1);
    await nightjar.backend.close();
    expect((await within('the end', 5000, run)).fail).toMatch(/broke off/);
    await eventually('no connection', () => llm.openConnections === 0);
  });
});
