import { isLeaving } from '../../domain/decision.js';
import type { Frame } from '../assistant-backend.js';
import { ToolInputError } from '../tools/tool-input-error.js';
import { TurnWrites } from '../writes/carry-out.js';
import { writeWordsFor } from '../writes/write-words.js';
import { approvable } from './approvable.js';
import { asked, type AskScene, proposed, toolFor } from './ask-agent.js';
import { type AgentQuestion, questionPlan } from './question-plan.js';
import { remoteWordsFor, type RemoteWords } from './remote-words.js';

/**
 * What a user says to an agent that has asked: it goes there as it stands, or drops the question.
 * With `ask-caller` that needs no second approval: the call was approved, and these are the user's own
 * words, written under a question that says where they go. An operator is asked again: nobody but the
 * user has seen these words.
 */
export async function* answerAgent(
  question: AgentQuestion,
  scene: AskScene,
): AsyncGenerator<Frame> {
  const { turn, remotes, desk } = scene;
  const { agent } = question;
  const before = turn.answering?.question ?? '';
  const words = remoteWordsFor(turn.lang, before);
  const config = remotes.agent(agent)?.config;
  const refusal =
    config === undefined
      ? words.agentGone(agent)
      : turn.busiGroups !== undefined
        ? words.notForGroups
        : config.policy === 'deny' && !config.readOnly
          ? words.denied(agent)
          : undefined;
  if (refusal !== undefined) {
    yield { kind: 'content', text: refusal };
    return;
  }
  if (isLeaving(turn.text)) {
    yield { kind: 'content', text: await leave(agent, scene, words) };
    return;
  }
  const found = await toolFor(question, scene);
  if ('skills' in found) {
    yield { kind: 'content', text: words.noSkill(agent, found.skills) };
    return;
  }
  const { tool } = found;
  const wish = { ...question, task: turn.text };
  const isOurs = tool.readOnly || (desk !== undefined && tool.policy !== 'ask-operator');
  try {
    if (isOurs && tool.policy === 'ask-caller' && !tool.readOnly) await check(wish.task);
    yield* isOurs ? asked(tool, wish, scene) : proposed(tool, wish, scene);
  } catch (error) {
    if (!(error instanceof ToolInputError)) throw error;
    const { cannotPlan } = writeWordsFor(turn.lang, before);
    yield {
      kind: 'input_required',
      expects: 'text',
      question: `${cannotPlan(error.message)}\n\n${before.slice(Math.max(0, before.indexOf(words.asks(agent))))}`,
      plan: questionPlan(question),
    };
  }

  /** What goes there must be what was seen when it was written. */
  async function check(task: string): Promise<void> {
    const { sources, signal, now, writes } = scene;
    const carrying = new TurnWrites({ turn, sources, writes, desk, signal, now });
    const write = approvable(tool);
    const plan = await carrying.plan(write, { task });
    carrying.log(write, 'answered by its user', plan, { step: 'decide', outcome: 'ok' });
  }
}

/** @returns what to tell. */
async function leave(agent: string, scene: AskScene, words: RemoteWords): Promise<string> {
  const { desk, remotes } = scene;
  const link = await desk?.calls.linkOf(agent);
  if (link?.taskId === undefined) return words.left(agent, false);
  const isTold = await remotes
    .agent(agent)
    ?.cancel(link.taskId)
    .then(
      () => true,
      () => false,
    );
  await desk?.calls.keepLink(agent, { contextId: link.contextId });
  return words.left(agent, isTold === true);
}
