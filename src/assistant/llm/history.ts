import type { ModelMessage } from 'ai';
import { cut } from '../sources/clean-text.js';
import type { PastTurn, Turn } from '../assistant-backend.js';
import type { Fence } from './fence.js';
import { estimateTokens } from './fit-prompt.js';

const MOST_TURNS = 20;
const MOST_PAGE_CHARS = 4000;

export interface Conversation {
  readonly messages: ModelMessage[];
  /** Earlier turns that did not fit. */
  readonly leftOut: number;
}

/**
 * The conversation as a model reads it: earlier turns, the newest that fit into `budget` tokens and
 * at most 20, then the message to answer.
 */
export function conversationOf(turn: Turn, budget: number, fence: Fence): Conversation {
  const messages: ModelMessage[] = [];
  let left = budget;
  let taken = 0;
  for (const past of turn.history.slice(-MOST_TURNS).toReversed()) {
    const pair = pairOf(past, budget);
    left -= pair.reduce((sum, { content }) => sum + estimateTokens(content), 0);
    if (left < 0) break;
    messages.unshift(...pair);
    taken += 1;
  }
  messages.push({ role: 'user', content: [turn.text, ...surroundings(turn, fence)].join('\n\n') });
  return { messages, leftOut: turn.history.length - taken };
}

/** A single turn never takes more than half of the room. */
function pairOf(
  past: PastTurn,
  budget: number,
): readonly { role: 'user' | 'assistant'; content: string }[] {
  const most = Math.max(200, Math.floor(budget / 4));
  const answer = past.assistant.trim() === '' ? '(no answer)' : cut(past.assistant, most);
  const content = past.complete ? answer : `${answer}\n[this turn was broken off]`;
  return [
    { role: 'user', content: cut(past.user, most) },
    { role: 'assistant', content },
  ];
}

/** What the caller's page says about itself (n9e's `page` and `action_param`): data, not words. */
function surroundings({ page, actionParam }: Turn, fence: Fence): readonly string[] {
  const shown = {
    ...(page === undefined ? {} : { page }),
    ...(actionParam === undefined ? {} : { action_param: actionParam }),
  };
  if (Object.keys(shown).length === 0) return [];
  const text = cut(JSON.stringify(shown), MOST_PAGE_CHARS);
  return [`What the user looks at:\n${fence.around('page', text)}`];
}
