import type { Whose } from '../../domain/limit.js';
import { CHINESE_SPENT, ENGLISH_SPENT, type SpentWords } from '../spent-words.js';
import type { FaultKind, ModelFault } from './model-fault.js';

/** The texts that the llm backend itself says to a user. */
export interface LlmWords {
  readonly language: 'en' | 'zh';
  /** Why the model gave no answer; a sentence. */
  readonly reason: (fault: ModelFault) => string;
  /** Before the answer of the built-in assistant. */
  readonly fallback: (reason: string) => string;
  readonly calling: (tool: string, args: string) => string;
  readonly called: (tool: string, failed: boolean) => string;
  readonly cutShort: string;
  readonly demo: string;
  /** Why no more tools are called; a sentence. */
  readonly toolsSpent: (whose: Whose) => string;
}

type Reasons = Readonly<Record<Exclude<FaultKind, 'spent'>, string>>;

const ENGLISH_REASONS: Reasons = {
  key: 'the language model refused the gateway’s key',
  rate: 'the language model takes no more requests at the moment',
  overloaded: 'the language model is out of order or overloaded',
  http: 'the language model refused the request',
  redirect: 'the address of the language model redirects elsewhere, which is not followed',
  unreachable: 'the language model could not be reached',
  silent: 'the language model did not answer in time',
  too_long: 'the conversation is too long for the language model; start a new one, or ask for less',
  too_big: 'the language model sent more than is read',
  broken: 'the answer of the language model broke off',
  garbled: 'the language model answered in a form that is not understood',
  empty: 'the language model gave an empty answer',
  filtered: 'the content filter of the language model stopped the answer',
  length: 'the language model used up its token limit before it answered',
  steps: 'the language model kept calling tools and gave no answer within its limit of steps',
};

const CHINESE_REASONS: Reasons = {
  key: '语言模型拒绝了网关的密钥',
  rate: '语言模型暂时不接受更多请求',
  overloaded: '语言模型出现故障或过载',
  http: '语言模型拒绝了请求',
  redirect: '语言模型的地址发生了重定向，网关不会跟随',
  unreachable: '无法连接语言模型',
  silent: '语言模型没有及时响应',
  too_long: '对话对语言模型来说太长，请开始新的对话或缩小问题范围',
  too_big: '语言模型发送的内容过大',
  broken: '语言模型的回答中断了',
  garbled: '语言模型的回答格式无法识别',
  empty: '语言模型给出了空的回答',
  filtered: '语言模型的内容过滤器中止了回答',
  length: '语言模型在回答之前就用完了令牌上限',
  steps: '语言模型一直调用工具，在步数上限内没有给出回答',
};

const ENGLISH: LlmWords = {
  language: 'en',
  reason: (fault) => sentence(ENGLISH_REASONS, ENGLISH_SPENT, fault, '.', [' (', ')']),
  fallback: (reason) => `> ${reason} The built-in assistant answers instead.\n\n`,
  calling: (tool, args) => `Calling ${tool} ${args}`,
  called: (tool, failed) => (failed ? `${tool} failed` : `${tool} answered`),
  cutShort: '\n\n_The answer ends here because the token limit of the language model was reached._',
  demo: '\n\n_These are made-up demo data._',
  toolsSpent: ENGLISH_SPENT.tools,
};

const CHINESE: LlmWords = {
  language: 'zh',
  reason: (fault) => sentence(CHINESE_REASONS, CHINESE_SPENT, fault, '。', ['（', '）']),
  fallback: (reason) => `> ${reason}以下由内置助手回答。\n\n`,
  calling: (tool, args) => `调用 ${tool} ${args}`,
  called: (tool, failed) => (failed ? `${tool} 调用失败` : `${tool} 已返回结果`),
  cutShort: '\n\n_由于达到语言模型的令牌上限，回答到此为止。_',
  demo: '\n\n_以上为虚构的演示数据。_',
  toolsSpent: CHINESE_SPENT.tools,
};

/** `lang` wins; else a message with Han characters is Chinese. */
export function wordsFor(lang: string | undefined, text: string): LlmWords {
  if (lang !== undefined && lang !== '') return /^zh(?:[-_]|$)/i.test(lang) ? CHINESE : ENGLISH;
  return /\p{Script=Han}/u.test(text) ? CHINESE : ENGLISH;
}

function sentence(
  reasons: Reasons,
  spent: SpentWords,
  { kind, detail: { status, whose = 'tenant' } }: ModelFault,
  stop: string,
  [open, close]: readonly [string, string],
): string {
  if (kind === 'spent') return spent.model(whose);
  const reason = reasons[kind];
  const code = status === undefined ? '' : `${open}HTTP ${status}${close}`;
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${code}${stop}`;
}
