import { randomUUID } from 'node:crypto';
import type { Frame, ToolUse, Turn } from '../../src/assistant/assistant-backend.js';
import { BuiltinBackend } from '../../src/assistant/builtin/builtin-backend.js';
import { LlmBackend } from '../../src/assistant/llm/llm-backend.js';
import { TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import type { LlmConfig, WritesConfig } from '../../src/config/config.types.js';
import { FakeDesk } from './fake-desk.js';
import { alertOf, contentOf, FakeSources, NOW, turnOf } from './fake-sources.js';
import type { ScriptedLlm } from './scripted-llm.js';

export const API_KEY = 'sk-test-0123456789abcdefghij';

export function llmConfig(url: string, over: Partial<LlmConfig> = {}): LlmConfig {
  return {
    backend: 'llm',
    provider: 'openai-compatible',
    baseUrl: url,
    model: 'test-model',
    apiKey: API_KEY,
    headers: {},
    maxSteps: 5,
    maxTokens: 500,
    contextTokens: 20_000,
    budgetTokens: 100_000,
    timeoutMs: 5000,
    ...over,
  };
}

/** What one turn gave. */
export interface Told {
  readonly frames: readonly Frame[];
  readonly text: string;
  readonly thoughts: string;
  readonly tools: readonly ToolUse[];
  readonly fail: string | undefined;
}

export interface BenchOptions {
  readonly config?: Partial<LlmConfig>;
  readonly sources?: FakeSources;
  readonly secrets?: readonly string[];
  readonly fallback?: boolean;
  readonly writes?: WritesConfig;
  readonly now?: () => number;
  readonly retryBaseMs?: number;
}

/** The llm backend on a scripted model and in-memory sources. */
export class LlmBench {
  /** Stands in an alert's summary only: whoever quotes it has read the tool's result. */
  readonly nonce = `nonce-${randomUUID()}`;
  readonly sources: FakeSources;
  readonly backend: LlmBackend;
  readonly desk = new FakeDesk();

  constructor(llm: ScriptedLlm, options: BenchOptions = {}) {
    this.sources =
      options.sources ??
      new FakeSources({
        alerts: [
          alertOf({ alertname: 'HighErrorRate', severity: 'critical' }, { summary: this.nonce }),
        ],
      });
    const sources = new TenantSources([this.sources.router, this.sources.metrics]);
    this.backend = new LlmBackend({
      config: llmConfig(llm.url, options.config),
      sources,
      secrets: options.secrets ?? [API_KEY],
      now: options.now ?? (() => NOW),
      retryBaseMs: options.retryBaseMs ?? 5,
      ...(options.writes === undefined ? {} : { writes: options.writes }),
      ...(options.fallback === true
        ? { fallback: new BuiltinBackend(sources, () => NOW, options.writes) }
        : {}),
    });
  }

  async ask(
    text: string,
    more: Partial<Turn> = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Told> {
    const frames: Frame[] = [];
    for await (const frame of this.backend.run(turnOf(text, more), signal, this.desk)) {
      frames.push(frame);
    }
    return toldBy(frames);
  }
}

export function toldBy(frames: readonly Frame[]): Told {
  const fail = frames.find((frame) => frame.kind === 'fail');
  return {
    frames,
    text: contentOf(frames),
    thoughts: frames.map((frame) => (frame.kind === 'reason' ? frame.text : '')).join(''),
    tools: frames.flatMap((frame) =>
      frame.kind === 'step' && frame.tool !== undefined ? [frame.tool] : [],
    ),
    fail: fail?.reason,
  };
}

/** The first thing in a text that only an alert's summary held. */
export function nonceIn(texts: readonly string[]): string {
  const found = /nonce-[0-9a-f-]{36}/.exec(texts.join('\n'));
  if (found === null) throw new Error('the result of the tool did not reach the model');
  return found[0];
}
