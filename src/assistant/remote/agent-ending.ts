import { cut } from '../sources/clean-text.js';
import type { Asking } from '../writes/write-desk.js';
import { type AgentQuestion, questionPlan } from './question-plan.js';
import { quoted } from './quote.js';
import type { RemoteAnswer } from './remote-tool.js';
import type { RemoteWords } from './remote-words.js';

/** Of the reason that a remote gives for its end. */
const REASON_CHARS = 2000;

/** The end of a turn that puts an agent's question to the user: its words, whose they are, and how to leave. */
export function askingOf(
  { agent, skill }: AgentQuestion,
  { kind, question: asked }: NonNullable<RemoteAnswer['asks']>,
  words: RemoteWords,
): Asking {
  const question = `${words.asks(agent)}\n\n${quoted(asked)}\n\n${words.howToLeave(agent)}`;
  const plan = questionPlan({ agent, skill });
  return kind === 'auth'
    ? { kind: 'auth_required', question, plan }
    : { kind: 'input_required', expects: 'text', question, plan };
}

/** What is told of a task at a remote that has ended without success: its reason, quoted as its words. */
export function failureOf(
  remote: string,
  { state, reason }: NonNullable<RemoteAnswer['ended']>,
  words: RemoteWords,
): string {
  const said = quoted(cut(reason, REASON_CHARS));
  return said === ''
    ? words.endedSilently(remote, state)
    : `${words.ended(remote, state)}\n\n${said}`;
}
