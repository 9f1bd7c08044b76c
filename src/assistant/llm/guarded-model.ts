import { setTimeout as sleep } from 'node:timers/promises';
import { wrapLanguageModel } from 'ai';
import type { JsonValue } from '../../domain/a2a.js';
import { metrics } from '../../metrics/metrics.js';
import { type Span, startSpan, withinSpan } from '../../tracing/tracing.js';
import { fitPrompt, tokensOfPrompt, tokensOfTools } from './fit-prompt.js';
import { faultOf, type ModelFault } from './model-fault.js';
import type { Redactor } from './redactor.js';
import type {
  Model,
  ModelCall,
  ModelReply,
  Prompt,
  PromptMessage,
  ReplyPart,
} from './sdk-types.js';

const MOST_RETRIES = 3;
/** A provider that wants a longer pause than this has failed: somebody waits for the answer. */
const LONGEST_WAIT_MS = 20_000;

export interface Guards {
  readonly redactor: Redactor;
  /** Bound of one request, by our estimate. */
  readonly contextTokens: number;
  /** Pause before the first retry; doubled by each further one, with a little chance added. */
  readonly retryBaseMs: number;
  /** Asked with the estimate of each request before it is sent. @throws ModelFault to send none. */
  readonly admit: (tokens: number) => Promise<void>;
  /** Told that a request of so many tokens has failed before its answer began. */
  readonly onFailure: (tokens: number) => void;
}

/**
 * The model behind the last gate before the network: whatever is sent is redacted and within the
 * context, and a call that fails before its first token is tried again when that may help.
 */
export function guardModel(model: Model, guards: Guards): Model {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v3',
      transformParams: ({ params }) =>
        Promise.resolve({ ...params, prompt: redacted(params.prompt, guards.redactor) }),
      wrapStream: ({ model: inner, params }) => stream(inner, params, guards),
    },
  });
}

async function stream(model: Model, call: ModelCall, guards: Guards): Promise<ModelReply> {
  const ofTools = tokensOfTools(call.tools);
  let prompt = fitPrompt(call.prompt, guards.contextTokens - ofTools);
  let shortened = false;
  let failures = 0;
  for (;;) {
    const tokens = tokensOfPrompt(prompt) + ofTools;
    await guards.admit(tokens);
    try {
      return await ask(model, { ...call, prompt });
    } catch (error) {
      call.abortSignal?.throwIfAborted();
      guards.onFailure(tokens);
      const fault = faultOf(error);
      metrics.llmRequests.inc({ outcome: fault.kind });
      if (fault.kind === 'too_long' && !shortened) {
        // The model's window is smaller than the operator thinks, or its tokens are.
        shortened = true;
        const half = halved(prompt);
        if (half === undefined) throw fault;
        prompt = half;
        continue;
      }
      failures += 1;
      const wait = pauseAfter(fault, failures, guards.retryBaseMs);
      if (wait === undefined) throw fault;
      await sleep(wait, undefined, call.abortSignal ? { signal: call.abortSignal } : {});
    }
  }
}

/** One request, in a span that lasts as long as its answer. @throws what it fails with before that. */
async function ask(model: Model, call: ModelCall): Promise<ModelReply> {
  const span = startSpan(`chat ${model.modelId}`, {
    kind: 'client',
    facts: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': model.provider,
      'gen_ai.request.model': model.modelId,
    },
  });
  try {
    const reply = await withinSpan(span, () => model.doStream(call));
    const stream = await begun(reply.stream, span);
    metrics.llmRequests.inc({ outcome: 'ok' });
    return { ...reply, stream };
  } catch (error) {
    span.fail(call.abortSignal?.aborted === true ? 'aborted' : faultOf(error).kind);
    span.end();
    throw error;
  }
}

/** With half of what can be left out; undefined when there is nothing. */
function halved(prompt: Prompt): Prompt | undefined {
  const all = tokensOfPrompt(prompt);
  const current = prompt.findLast(({ role }) => role === 'user');
  const needed = tokensOfPrompt(
    prompt.filter((message) => message.role === 'system' || message === current),
  );
  return all <= needed ? undefined : fitPrompt(prompt, Math.floor((all + needed) / 2));
}

function pauseAfter(fault: ModelFault, failures: number, baseMs: number): number | undefined {
  const { retryable, retryAfterMs = 0 } = fault.detail;
  if (retryable !== true || failures > MOST_RETRIES || retryAfterMs > LONGEST_WAIT_MS) {
    return undefined;
  }
  const backOff = baseMs * 2 ** (failures - 1) * (1 + Math.random() / 4);
  return Math.max(backOff, retryAfterMs);
}

/** Parts that say nothing yet: an error after them can still be hidden by another try. */
const SILENT: readonly ReplyPart['type'][] = [
  'stream-start',
  'response-metadata',
  'text-start',
  'reasoning-start',
  'raw',
];

/**
 * Waits for the first token; the span ends with the stream.
 * @throws what the stream fails with before it.
 */
async function begun(
  parts: ReadableStream<ReplyPart>,
  span: Span,
): Promise<ReadableStream<ReplyPart>> {
  const reader = parts.getReader();
  const seen: ReplyPart[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value.type === 'error') {
      await reader.cancel();
      throw value.error;
    }
    seen.push(value);
    if (!SILENT.includes(value.type)) break;
  }
  return new ReadableStream<ReplyPart>({
    async pull(controller) {
      const early = seen.shift();
      if (early !== undefined) {
        note(early, span);
        controller.enqueue(early);
        return;
      }
      try {
        const { done, value } = await reader.read();
        if (done) {
          span.end();
          controller.close();
          return;
        }
        note(value, span);
        controller.enqueue(value);
      } catch (error) {
        span.fail('broken');
        span.end();
        throw error;
      }
    },
    cancel: async (reason) => {
      span.fail('aborted');
      span.end();
      await reader.cancel(reason);
    },
  });
}

function note(part: ReplyPart, span: Span): void {
  if (part.type === 'error') span.fail(faultOf(part.error).kind);
  if (part.type !== 'finish') return;
  span.set({
    'gen_ai.usage.input_tokens': part.usage.inputTokens.total,
    'gen_ai.usage.output_tokens': part.usage.outputTokens.total,
  });
}

function redacted(prompt: Prompt, redactor: Redactor): Prompt {
  /** A model may make up both; a provider refuses a name with anything else in it. */
  const named = (part: { readonly toolName: string; readonly toolCallId: string }) => ({
    toolName:
      redactor
        .hide(part.toolName)
        .replace(/[^\w-]/g, '_')
        .slice(0, 64) || '_',
    toolCallId: redactor.hide(part.toolCallId),
  });
  return prompt.map((message): PromptMessage => {
    if (message.role === 'system') return { ...message, content: redactor.hide(message.content) };
    const content = message.content.map((part) => {
      if (part.type === 'text' || part.type === 'reasoning') {
        return { ...part, text: redactor.hide(part.text) };
      }
      if (part.type === 'tool-call') {
        return { ...part, ...named(part), input: redactor.hideIn(part.input as JsonValue) };
      }
      if (part.type === 'tool-result') {
        const output = redactor.hideIn(part.output as unknown as JsonValue);
        return { ...part, ...named(part), output: output as unknown as typeof part.output };
      }
      return part;
    });
    return { ...message, content } as PromptMessage;
  });
}
