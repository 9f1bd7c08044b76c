/** What is said about remote agents, in one language. */
export interface RemoteWords {
  readonly asking: (agent: string) => string;
  readonly answered: (agent: string, failed: boolean) => string;
  /** Before what an agent says. */
  readonly says: (agent: string) => string;
  /** Before what an agent asks back. */
  readonly asks: (agent: string) => string;
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
