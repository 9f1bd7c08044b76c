import { stepCountIs, streamText } from 'ai';
import type { LlmConfig } from '../../config/config.types.js';
import type { Frame, Meter } from '../assistant-backend.js';
import { cleanText } from '../sources/clean-text.js';
import { estimateTokens } from './fit-prompt.js';
import { guardModel } from './guarded-model.js';
import type { Conversation } from './history.js';
import { faultOf, ModelFault } from './model-fault.js';
import type { Redactor } from './redactor.js';
import type { Model } from './sdk-types.js';
import { StreamRedactor } from './stream-redactor.js';
import { LAST_CALL } from './system-prompt.js';
import type { ToolAnswer, TurnTools } from './turn-tools.js';
import type { LlmWords } from './words.js';

export interface Exchange {
  readonly config: LlmConfig;
  readonly model: Model;
  readonly system: string;
  readonly conversation: Conversation;
  readonly tools: TurnTools;
  readonly redactor: Redactor;
  readonly words: LlmWords;
  readonly retryBaseMs: number;
  /** Told what each answered request of the model took. */
  readonly onUsage: (usage: TokenUsage) => void;
  /** Says whether the tokens may be used; absent: they may. */
  readonly meter: Meter | undefined;
  /** Ends the call of the model and the tools in flight. */
  readonly signal: AbortSignal;
}

/** Tokens of one request to a model and of its answer. */
export interface TokenUsage {
  readonly sent: number;
  readonly received: number;
  /** Providers need not tell; then it is our estimate. */
  readonly counted: 'provider' | 'estimate';
}

/**
 * The tool loop of one turn, as frames while it goes on.
 * @returns what went wrong; undefined when the model has answered.
 * @throws the signal's reason when that aborts.
 */
export async function* converse(exchange: Exchange): AsyncGenerator<Frame, ModelFault | undefined> {
  const { config, tools, words, redactor, signal, meter } = exchange;
  const text = new StreamRedactor(redactor);
  const thought = new StreamRedactor(redactor);
  /** Tokens of the turn so far, sent and received. */
  let spent = 0;
  const estimate = { sent: 0, received: 0 };
  /** Taken from today's allowance for the request that is under way. */
  let taken = 0;
  /** Whether the answer has begun since the last tool was called. */
  let hasAnswer = false;
  const result = streamText({
    model: guardModel(exchange.model, {
      redactor,
      contextTokens: config.contextTokens,
      retryBaseMs: exchange.retryBaseMs,
      admit: async (tokens) => {
        const short = await meter?.take('llm', tokens);
        if (short !== undefined) throw new ModelFault('spent', short);
        taken += tokens;
        spent += tokens;
        estimate.sent += tokens;
      },
      onFailure: (tokens) => {
        taken -= tokens;
        meter?.correct('llm', -tokens);
      },
    }),
    system: exchange.system,
    messages: exchange.conversation.messages,
    tools: tools.toolSet(),
    stopWhen: [stepCountIs(config.maxSteps), () => tools.mustStop],
    prepareStep: ({ stepNumber }) => {
      const isLast = stepNumber >= config.maxSteps - 1;
      const isSpent = stepNumber > 0 && spent >= config.budgetTokens;
      return isLast || isSpent
        ? { toolChoice: 'none', system: exchange.system + LAST_CALL }
        : undefined;
    },
    maxOutputTokens: config.maxTokens,
    ...(config.temperature === undefined ? {} : { temperature: config.temperature }),
    maxRetries: 0,
    abortSignal: signal,
    experimental_include: { requestBody: false },
    // The error is a part of the stream as well; the default would print it.
    onError: () => undefined,
  });
  try {
    for await (const came of tools.steps.among(result.fullStream)) {
      signal.throwIfAborted();
      if ('frame' in came) {
        yield came.frame;
        continue;
      }
      const part = came.item;
      switch (part.type) {
        case 'text-delta':
          spent += estimateTokens(part.text);
          estimate.received += estimateTokens(part.text);
          hasAnswer ||= part.text.trim() !== '';
          yield* frames('content', text.push(part.text));
          break;
        case 'text-end':
          yield* frames('content', text.flush());
          break;
        case 'reasoning-delta':
          spent += estimateTokens(part.text);
          estimate.received += estimateTokens(part.text);
          yield* frames('reason', thought.push(part.text));
          break;
        case 'reasoning-end':
          yield* frames('reason', thought.flush());
          break;
        case 'tool-call': {
          hasAnswer = false;
          const args = cleanText(redactor.hide(JSON.stringify(part.input)), 300);
          yield { kind: 'step', text: words.calling(nameOf(part.toolName, redactor), args) };
          break;
        }
        case 'tool-result':
          yield stepOf(part, part.output as ToolAnswer, exchange);
          break;
        case 'tool-error': {
          // An unknown tool, or arguments that are no JSON: the model is told and may try again.
          const output = redactor.hide(cleanText(String(part.error), 1000));
          yield stepOf(part, { outcome: 'failed', output }, exchange);
          break;
        }
        case 'finish-step': {
          const usage = usageOf(part.usage, estimate);
          exchange.onUsage(usage);
          meter?.correct('llm', usage.sent + usage.received - taken);
          taken = 0;
          estimate.sent = 0;
          estimate.received = 0;
          break;
        }
        case 'error':
          yield* frames('content', text.flush());
          return faultOf(part.error);
        case 'finish': {
          if (tools.unsure !== undefined) {
            yield { kind: 'fail', reason: tools.unsure };
            return undefined;
          }
          if (tools.ending !== undefined) {
            yield tools.ending;
            return undefined;
          }
          const fault = faultOfEnding(part.finishReason, part.rawFinishReason, hasAnswer);
          if (fault !== undefined) return fault;
          if (part.finishReason === 'length') yield { kind: 'content', text: words.cutShort };
          if (tools.sawDemo) yield { kind: 'content', text: words.demo };
          if (tools.short !== undefined) {
            yield { kind: 'content', text: `\n\n_${words.toolsSpent(tools.short.whose)}_` };
          }
          return undefined;
        }
        default:
          break;
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    yield* frames('content', text.flush());
    return faultOf(error);
  }
  signal.throwIfAborted();
  return new ModelFault('broken');
}

/** What the provider counted; where it tells nothing, what we estimated. */
function usageOf(
  told: { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined },
  estimate: { readonly sent: number; readonly received: number },
): TokenUsage {
  const { inputTokens, outputTokens } = told;
  if (inputTokens === undefined || outputTokens === undefined) {
    return { ...estimate, counted: 'estimate' };
  }
  return { sent: inputTokens, received: outputTokens, counted: 'provider' };
}

function* frames(kind: 'content' | 'reason', text: string): Generator<Frame> {
  if (text !== '') yield { kind, text };
}

function stepOf(
  { toolCallId, toolName }: { readonly toolCallId: string; readonly toolName: string },
  { outcome, output }: ToolAnswer,
  { words, redactor }: Exchange,
): Frame {
  const name = nameOf(toolName, redactor);
  const callId = cleanText(redactor.hide(toolCallId), 100);
  const tool = { callId, name, outcome, output };
  return { kind: 'step', text: words.called(name, outcome === 'failed'), tool };
}

/** A model may call anything by any name. */
function nameOf(toolName: string, redactor: Redactor): string {
  return cleanText(redactor.hide(toolName), 64);
}

function faultOfEnding(
  reason: string,
  raw: string | undefined,
  hasAnswer: boolean,
): ModelFault | undefined {
  switch (reason) {
    case 'stop':
      return hasAnswer ? undefined : new ModelFault('empty');
    case 'length':
      return hasAnswer ? undefined : new ModelFault('length');
    case 'content-filter':
      return new ModelFault('filtered');
    case 'tool-calls':
      return new ModelFault('steps');
    default:
      // Without a word of the provider's own the stream has just ended.
      return hasAnswer && raw !== undefined ? undefined : new ModelFault('broken');
  }
}
