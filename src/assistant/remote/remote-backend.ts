import type { AssistantBackend, Frame, Turn } from '../assistant-backend.js';
import type { WriteDesk } from '../writes/write-desk.js';
import { askingOf, failureOf } from './agent-ending.js';
import type { AgentQuestion } from './question-plan.js';
import { quoted } from './quote.js';
import { remoteWordsFor, type RemoteWords } from './remote-words.js';
import type { RemoteAnswer } from './remote-tool.js';
import type { TenantRemotes } from './tenant-remotes.js';

export interface RemoteBackendOptions {
  readonly remotes: TenantRemotes;
  /** Name of the agent that answers. */
  readonly agent: string;
}

/**
 * The assistant is another A2A agent: the whole message goes there, and what comes back is the
 * answer. Its conversation is kept with ours, so a later turn goes on with it on any instance.
 */
export class RemoteBackend implements AssistantBackend {
  /** What it sets in motion goes through the desk, which does nothing twice. */
  readonly readOnly = true;

  constructor(private readonly options: RemoteBackendOptions) {}

  async *run(turn: Turn, signal: AbortSignal, desk?: WriteDesk): AsyncIterable<Frame> {
    signal.throwIfAborted();
    const { remotes, agent: name } = this.options;
    const words = remoteWordsFor(turn.lang, turn.text);
    const agent = remotes.agent(name);
    if (agent === undefined) throw new Error(`bug: no remote ${name}`);
    if (turn.busiGroups !== undefined) {
      // It sees what its own credentials see, and nobody could narrow that down.
      yield { kind: 'reject', reason: words.notForGroups };
      return;
    }
    if (turn.text.trim() === '') {
      yield { kind: 'reject', reason: words.onlyText };
      return;
    }
    const scene = { turn, desk: desk?.calls, signal };
    const calling = agent.anything().call({ task: turn.text }, scene);
    let hasText = false;
    for (;;) {
      const step = await calling.next();
      if (step.done === true) {
        yield* ending(name, step.value, hasText, words);
        return;
      }
      const frame = step.value;
      hasText ||= frame.kind === 'content' && frame.text.trim() !== '';
      yield frame;
    }
  }
}

/**
 * How our task ends, by how the remote's did.
 * @param by where the answer is not the assistant's own: whose words are quoted, and who asks.
 */
export function* ending(
  remote: string,
  answer: RemoteAnswer,
  hasText: boolean,
  words: RemoteWords,
  by?: AgentQuestion,
): Generator<Frame> {
  const { text, asks, ended, certainty } = answer;
  if (asks !== undefined) {
    const { kind, question } = asks;
    if (by !== undefined) yield askingOf(by, asks, words);
    else if (kind === 'auth') yield { kind: 'auth_required', question };
    else yield { kind: 'input_required', question, expects: 'text' };
    return;
  }
  if (ended !== undefined) {
    const reason = failureOf(remote, ended, words);
    yield ended.state === 'rejected' ? { kind: 'reject', reason } : { kind: 'fail', reason };
    return;
  }
  if (!answer.success) {
    yield { kind: 'fail', reason: certainty === 'unknown' ? words.unsure(text) : text };
    return;
  }
  if (hasText) return;
  const own = by === undefined ? text : `${words.says(by.agent)}\n\n${quoted(text)}`;
  yield { kind: 'content', text: text === '' ? words.nothingSaid : own };
}
