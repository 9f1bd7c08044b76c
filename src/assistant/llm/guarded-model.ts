import { setTimeout as sleep } from 'node:timers/promises';
import { wrapLanguageModel } from 'ai';
import type { JsonValue } from '../../domain/a2a.js';
import { metrics } from '../../metrics/metrics.js';
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
  /** Told the estimate of each request that is sent. */
  readonly onRequest: (tokens: number) => void;
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
    guards.onRequest(tokensOfPrompt(prompt) + ofTools);
    try {
      const reply = await model.doStream({ ...call, prompt });
      const answer = { ...reply, stream: await begun(reply.stream) };
      metrics.llmRequests.inc({ outcome: 'ok' });
      return answer;
    } catch (error) {
      call.abortSignal?.throwIfAborted();
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

/** Waits for the first token. @throws what the stream fails with before it. */
async function begun(parts: ReadableStream<ReplyPart>): Promise<ReadableStream<ReplyPart>> {
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
        controller.enqueue(early);
        return;
      }
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
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
