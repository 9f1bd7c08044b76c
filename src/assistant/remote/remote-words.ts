import type { EndState } from './remote-tool.js';

/** What is said about remote agents, in one language. */
export interface RemoteWords {
  readonly asking: (agent: string) => string;
  readonly answered: (agent: string, failed: boolean) => string;
  /** Before what an agent says. */
  readonly says: (agent: string) => string;
  /** Before what an agent asks back. */
  readonly asks: (agent: string) => string;
  /** Under what an agent asks back: where the answer goes, and what drops the question. */
  readonly howToLeave: (agent: string) => string;
  /** Under a question to a call that nobody can answer. */
  readonly notHere: string;
  /** The user has dropped it. `isTold`: so was the agent. */
  readonly left: (agent: string, isTold: boolean) => string;
  /** Before the reason that a remote gives for its end. */
  readonly ended: (remote: string, state: EndState) => string;
  /** In place of both. */
  readonly endedSilently: (remote: string, state: EndState) => string;
  /** The agent that has asked is none of this team's any more. */
  readonly agentGone: (agent: string) => string;
  /** What was proposed is offered no more. */
  readonly toolGone: (tool: string) => string;
  /** Nothing is known of what was proposed, for the moment. */
  readonly away: (tool: string) => string;
  /** The question was put by a version that knows more, or less. */
  readonly otherVersion: string;
  readonly unsure: (reason: string) => string;
  readonly nothingSaid: string;
  readonly onlyText: string;
  readonly notForGroups: string;
  readonly denied: (agent: string) => string;
  /** None of that name; `agents` are those that there are. */
  readonly noAgent: (agent: string, agents: readonly string[]) => string;
  readonly noSkill: (agent: string, skills: readonly string[]) => string;
}

const ENGLISH: RemoteWords = {
  asking: (agent) => `Asking ${agent}`,
  answered: (agent, failed) => `${agent} ${failed ? 'gave no answer' : 'has answered'}`,
  says: (agent) => `**${agent}** says:`,
  asks: (agent) => `**${agent}** asks:`,
  howToLeave: (agent) =>
    `_Your answer goes to **${agent}** as you write it, whatever it says; \`cancel\` or \`never mind\` drops the question._`,
  notHere:
    'This call cannot be answered, so the task there is canceled. Ask through the assistant, or say it all at once.',
  left: (agent, isTold) =>
    isTold
      ? `The question of **${agent}** is dropped, and its task there is canceled.`
      : `The question of **${agent}** is dropped. Its task there took no cancel: it may have ended before, or still wait.`,
  ended: (remote, state) =>
    `**${remote}** ${{ failed: 'says that it failed', rejected: 'would not do it, and says', canceled: 'says that it was canceled' }[state]}:`,
  endedSilently: (remote, state) =>
    `**${remote}** ${{ failed: 'failed', rejected: 'would not do it', canceled: 'was canceled' }[state]}, and gave no reason.`,
  agentGone: (agent) =>
    `**${agent}** is none of the agents here any more, so your answer was not passed on.`,
  toolGone: (tool) =>
    `\`${tool}\` is not offered here any more, or may not be called any more. Nothing was done.`,
  away: (tool) =>
    `It is not known at the moment whether \`${tool}\` is still offered: what it belongs to does not answer. Nothing was done; the proposal still stands.`,
  otherVersion:
    'This question was put by another version of this assistant, so your answer was not passed on. Ask again.',
  unsure: (reason) =>
    `${reason}. It is not known whether it did, or still does, what it was asked; look there before you ask again.`,
  nothingSaid: 'It ended without a word.',
  onlyText: 'Only text can be passed on here.',
  notForGroups:
    'The assistant of this team is another agent, whose answers cannot be narrowed down to your busi groups; so it is not asked.',
  denied: (agent) => `I may not ask ${agent}: the configuration of this team does not allow it.`,
  noAgent: (agent, agents) =>
    `There is no agent \`${agent}\` here, so nobody was asked. I can ask ${agents.map((one) => `\`${one}\``).join(', ')}.`,
  noSkill: (agent, skills) =>
    skills.length === 0
      ? `${agent} has told of no skill yet.`
      : `${agent} has no such skill; it has ${skills.join(', ')}.`,
};

const CHINESE: RemoteWords = {
  asking: (agent) => `正在询问 ${agent}`,
  answered: (agent, failed) => (failed ? `${agent} 未给出回答` : `${agent} 已回答`),
  says: (agent) => `**${agent}** 的回答：`,
  asks: (agent) => `**${agent}** 的提问：`,
  howToLeave: (agent) =>
    `_您的回答会原样发给 **${agent}**，无论内容；回复“取消”或“算了”则放弃该问题。_`,
  notHere: '此调用无法作答，因此那边的任务已取消。请通过助手询问，或一次说明全部内容。',
  left: (agent, isTold) =>
    isTold
      ? `已放弃 **${agent}** 的问题，并已取消它那边的任务。`
      : `已放弃 **${agent}** 的问题。它那边的任务未接受取消：可能早已结束，也可能仍在等待。`,
  ended: (remote, state) =>
    `**${remote}** ${{ failed: '称其失败', rejected: '拒绝执行，并称', canceled: '称其已被取消' }[state]}：`,
  endedSilently: (remote, state) =>
    `**${remote}** ${{ failed: '失败', rejected: '拒绝执行', canceled: '已被取消' }[state]}，未说明原因。`,
  agentGone: (agent) => `**${agent}** 已不是这里的智能体，因此您的回答未被转交。`,
  toolGone: (tool) => `这里已不再提供 \`${tool}\`，或已不允许调用。未执行任何操作。`,
  away: (tool) =>
    `目前无法得知 \`${tool}\` 是否仍然可用：对方没有响应。未执行任何操作，该提议仍然有效。`,
  otherVersion: '这个问题由另一版本的助手提出，因此您的回答未被转交，请重新提出。',
  unsure: (reason) => `${reason}。无法确定它是否已经或仍在执行，请先到那里确认，再重新提出。`,
  nothingSaid: '它没有给出任何内容。',
  onlyText: '这里只能转交文本。',
  notForGroups: '本团队的助手是另一个智能体，其回答无法限定在您的业务组内，因此不予询问。',
  denied: (agent) => `我不能询问 ${agent}：本团队的配置不允许。`,
  noAgent: (agent, agents) =>
    `这里没有名为 \`${agent}\` 的智能体，因此未询问任何智能体。我可以询问：${agents.map((one) => `\`${one}\``).join('、')}。`,
  noSkill: (agent, skills) =>
    skills.length === 0
      ? `${agent} 尚未声明任何技能。`
      : `${agent} 没有这个技能，它有：${skills.join('、')}。`,
};

/** `lang` wins; else a text with Han characters is Chinese. */
export function remoteWordsFor(lang: string | undefined, text: string): RemoteWords {
  if (lang !== undefined && lang !== '') return /^zh(?:[-_]|$)/i.test(lang) ? CHINESE : ENGLISH;
  return /\p{Script=Han}/u.test(text) ? CHINESE : ENGLISH;
}
