import type { Whose } from '../domain/limit.js';

/** What to say when an allowance of the day is used up; sentences. */
export interface SpentWords {
  readonly model: (whose: Whose) => string;
  readonly tools: (whose: Whose) => string;
}

const OF: Readonly<Record<Whose, string>> = {
  token: 'for this token',
  user: 'for this user',
  tenant: 'for this tenant',
};

const ZH_OF: Readonly<Record<Whose, string>> = {
  token: '此令牌',
  user: '此用户',
  tenant: '此租户',
};

export const ENGLISH_SPENT: SpentWords = {
  model: (whose) =>
    `Today’s allowance of language model tokens ${OF[whose]} is used up; more from 00:00 UTC.`,
  tools: (whose) => `Today’s allowance of tool calls ${OF[whose]} is used up; more from 00:00 UTC.`,
};

export const CHINESE_SPENT: SpentWords = {
  model: (whose) => `${ZH_OF[whose]}今天的语言模型令牌额度已用完，UTC 00:00 后恢复。`,
  tools: (whose) => `${ZH_OF[whose]}今天的工具调用额度已用完，UTC 00:00 后恢复。`,
};

/** `lang` wins; else a text with Han characters is Chinese. */
export function spentWordsFor(lang: string | undefined, text: string): SpentWords {
  if (lang !== undefined && lang !== '') {
    return /^zh(?:[-_]|$)/i.test(lang) ? CHINESE_SPENT : ENGLISH_SPENT;
  }
  return /\p{Script=Han}/u.test(text) ? CHINESE_SPENT : ENGLISH_SPENT;
}
