import { cut } from '../sources/clean-text.js';
import type { ModelCall, Prompt, PromptMessage } from './sdk-types.js';

/** The conversation is longer than the model may be sent, whatever is left out. */
export class PromptTooLongError extends Error {}

type ToolMessage = Extract<PromptMessage, { role: 'tool' }>;
type ToolPart = ToolMessage['content'][number];

const LEFT_OUT = '[left out to save room; call the tool again if you need it]';
/** A message's own frame: role, ids, punctuation. */
const MESSAGE_TOKENS = 8;

/** On the safe side for any tokenizer: four ASCII characters a token, else one. */
export function estimateTokens(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) others += 1;
  }
  return Math.ceil((text.length - others) / 4) + others;
}

export function tokensOfPrompt(prompt: Prompt): number {
  return prompt.reduce((sum, message) => sum + tokensOf(message), 0);
}

/** What the tools' schemas take. */
export function tokensOfTools(tools: ModelCall['tools']): number {
  return tools === undefined ? 0 : estimateTokens(JSON.stringify(tools));
}

/**
 * The prompt within `budget` tokens. What goes first: earlier turns, oldest first; then results of
 * tools, oldest first; then the ends of the newest results. The system's and the user's words stay.
 * @throws PromptTooLongError
 */
export function fitPrompt(prompt: Prompt, budget: number): Prompt {
  let over = tokensOfPrompt(prompt) - budget;
  if (over <= 0) return prompt;
  const fitted = [...prompt];
  over -= dropEarlierTurns(fitted, over);
  const results = fitted.flatMap((message, index) => (message.role === 'tool' ? [index] : []));
  const newest = results.pop();
  for (const index of results) {
    if (over <= 0) break;
    over -= replace(fitted, index, (part) => withText(part, LEFT_OUT));
  }
  if (over > 0 && newest !== undefined) {
    const parts = (fitted[newest] as ToolMessage).content;
    const room = Math.max(200, tokensOfParts(parts) - over);
    // A token may be one character: that many are always within it.
    const chars = Math.floor(room / parts.length) - LEFT_OUT.length;
    over -= replace(fitted, newest, (part) => withText(part, undefined, Math.max(100, chars)));
  }
  if (over > 0) throw new PromptTooLongError('the conversation is too long for the model');
  return fitted;
}

/** The last message of the user is the one to answer; what stands before it is history. */
function dropEarlierTurns(prompt: PromptMessage[], over: number): number {
  let saved = 0;
  for (;;) {
    const first = prompt.findIndex(({ role }) => role !== 'system');
    const current = prompt.findLastIndex(({ role }) => role === 'user');
    if (saved >= over || first === -1 || first >= current) return saved;
    const next = prompt.findIndex(({ role }, index) => index > first && role === 'user');
    for (const message of prompt.splice(first, next - first)) saved += tokensOf(message);
  }
}

function replace(
  prompt: PromptMessage[],
  index: number,
  change: (part: ToolPart) => ToolPart,
): number {
  const message = prompt[index] as ToolMessage;
  const changed = { ...message, content: message.content.map(change) };
  prompt[index] = changed;
  return tokensOf(message) - tokensOf(changed);
}

function withText(part: ToolPart, text: string | undefined, chars = Infinity): ToolPart {
  if (part.type !== 'tool-result') return part;
  const { output } = part;
  const isText = output.type === 'text' || output.type === 'error-text';
  const given = isText ? output.value : JSON.stringify(output);
  const shown = text ?? shorten(given, chars);
  if (shown.length >= given.length) return part;
  return { ...part, output: { type: isText ? output.type : 'text', value: shown } };
}

/** Keeps the last line, which closes the fence around the data. */
function shorten(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const fence = /\n<<<end [^\n]*$/.exec(text)?.[0] ?? '';
  return `${cut(text, chars)} ${LEFT_OUT}${fence}`;
}

function tokensOf(message: PromptMessage): number {
  const content =
    message.role === 'system' ? estimateTokens(message.content) : tokensOfParts(message.content);
  return content + MESSAGE_TOKENS;
}

function tokensOfParts(parts: readonly object[]): number {
  return parts.reduce((sum, part) => sum + estimateTokens(JSON.stringify(part)), 0);
}
