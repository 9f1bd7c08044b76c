import type { LanguageModelMiddleware, wrapLanguageModel } from 'ai';

// The SDK's own names for these are in a package that is not ours to import.

/** A language model as the providers make it. */
export type Model = Parameters<typeof wrapLanguageModel>[0]['model'];

/** What one call of a model is given. */
export type ModelCall = Parameters<
  NonNullable<LanguageModelMiddleware['transformParams']>
>[0]['params'];

/** The conversation in it. */
export type Prompt = ModelCall['prompt'];
export type PromptMessage = Prompt[number];

/** What a call gives, and a piece of it. */
export type ModelReply = Awaited<ReturnType<Model['doStream']>>;
export type ReplyPart = ModelReply['stream'] extends ReadableStream<infer Part> ? Part : never;
