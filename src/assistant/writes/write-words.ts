import { code, plain } from '../builtin/answer/markdown.js';
import { CHINESE_WORDS } from '../builtin/answer/words-zh.js';
import { ENGLISH_WORDS } from '../builtin/answer/words-en.js';
import type { SourceError } from '../sources/source-error.js';

/** A matcher is shown whole: nobody approves what is cut off. */
const MATCHER_CHARS = 800;

export interface SilenceTold {
  readonly source: string;
  /** In Alertmanager's notation, one each. */
  readonly matchers: readonly string[];
  /** In the user's zone. */
  readonly until: string;
  readonly by: string;
}

/** Where a silence holds and what it covers now, as its source tells. */
export interface Covered {
  readonly where: string;
  readonly count: number;
  /** Some of them. */
  readonly some: readonly string[];
}

/** A look at a source, and when; in the user's zone. */
interface Seen {
  readonly source: string;
  readonly at: string;
}

/** Everything that is said about a write, in one language; Markdown. */
export interface WriteWords {
  readonly createSilence: (
    told: SilenceTold & {
      readonly lasts: number;
      readonly comment: string;
      readonly covers?: Covered;
    },
  ) => readonly string[];
  readonly expireSilence: (told: SilenceTold & { readonly id: string }) => readonly string[];
  /** `lines`: everything that is sent. */
  readonly callRemote: (told: {
    readonly remote: string;
    readonly kind: 'agent' | 'mcp';
    readonly lines: string;
  }) => readonly string[];
  /** The question around the lines of a plan. `code`: what the exact phrase must name. */
  readonly question: (asked: {
    readonly lines: readonly string[];
    readonly affected: number | undefined;
    /** Alert routers that did not answer. */
    readonly away: readonly SourceError[];
    readonly until: string;
    readonly code: string | undefined;
  }) => string;
  /** Before the question, when the answer decided nothing. */
  readonly unclear: string;
  /** The user went on to something else. */
  readonly dropped: string;
  /** More changes were wanted in the same turn. */
  readonly oneOnly: (further: number) => string;
  readonly refusedByUser: string;
  readonly lapsed: string;
  readonly invalid: string;
  /** The plan has a shape that this version does not know. */
  readonly otherVersion: string;
  /** What to name; there is nothing that fits. */
  readonly which: string;
  /** It was asked whether to do it. */
  readonly notOrdered: string;
  readonly nothingLike: (words: string) => string;
  /** Words of an order that nothing in a plan would stand for. */
  readonly leftOver: (words: string) => string;
  readonly leftOverEnd: (words: string) => string;
  /** Said of another time than now. */
  readonly startsNow: (words: string) => string;
  readonly endsNow: (words: string) => string;
  /** Several values of one label; `joined`: the matcher that fits any of them. */
  readonly alternatives: (joined: string | undefined) => string;
  readonly ambiguous: (words: string) => string;
  readonly whichTime: (words: string) => string;
  readonly noSilence: (words: string) => string;
  /** Something that may have it did not answer. */
  readonly unseen: (failures: string) => string;
  readonly failure: (error: SourceError) => string;
  readonly whichSilence: (count: number) => string;
  readonly cannotPlan: (reason: string) => string;
  readonly denied: Readonly<Record<'off' | 'scope' | 'danger', string>>;
  /** Longer than the config allows. */
  readonly deniedFor: (longestMs: number) => string;
  readonly waiting: (seconds: number) => string;
  readonly operator: (decision: 'approved' | 'refused' | 'expired' | 'full', by: string) => string;
  readonly doing: (tool: string) => string;
  readonly before: (text: string) => string;
  readonly silenced: (id: string, source: string) => string;
  readonly expired: (id: string, source: string) => string;
  readonly alreadyExpired: string;
  readonly changed: string;
  readonly endsBefore: string;
  readonly noSource: string;
  readonly failed: (error: SourceError) => string;
  /** After a look by another instance than the one that had sent the request. */
  readonly found: (seen: Seen & { readonly id: string; readonly hasEnded: boolean }) => string;
  readonly lookedFor: (seen: Seen) => string;
  readonly foundEnded: (seen: Seen & { readonly id: string }) => string;
  readonly foundActive: (seen: Seen & { readonly id: string }) => string;
  /** `absent`: it does not show what was to be made. `still`: … what was to go. `unseen`: not seen. */
  readonly unsure: (error: SourceError, seen: 'absent' | 'still' | 'unseen') => string;
}

const ENGLISH: WriteWords = {
  createSilence: ({ source, matchers, until, lasts, by, comment, covers }) => [
    `**Create a silence** in ${code(source)}`,
    `- for alerts with ${exactly(matchers)}`,
    `- from the approval until **${until}** (${span(lasts, ['d', 'h', 'min', 's'])} from the proposal)`,
    `- created by ${code(by, 250)}; comment: ${plain(comment, 600)}`,
    ...(covers === undefined
      ? []
      : [
          `- in ${plain(covers.where, 300)}`,
          `- ${code(source)} itself says that it covers ${alertsNow(covers.count)}: ${named(covers, 'more')}`,
        ]),
  ],
  expireSilence: ({ id, source, matchers, until, by }) => [
    `**End the silence** ${code(id)} in ${code(source)} now`,
    `- it covers alerts with ${list(matchers)}`,
    `- it was created by ${code(by, 250)} and would last until ${until}`,
  ],
  callRemote: ({ remote, kind, lines }) => [
    kind === 'agent'
      ? `**Ask the agent** ${code(remote)}, which may change things, to do this:`
      : `**Call a tool** of ${code(remote)} that may change things:`,
    ...quote(lines),
  ],
  question: ({ lines, affected, away, until, code: exact }) =>
    [
      'This needs your approval:',
      '',
      ...lines,
      ...(affected === undefined ? [] : [`- it fits ${alertsNow(affected)}`]),
      ...away.map((error) => `- ⚠ ${ENGLISH.failure(error)}: what it has is not counted here`),
      '',
      exact === undefined
        ? `Answer **yes** or **no**. The proposal lapses at ${until}.`
        : `**This is far-reaching.** To approve it, answer exactly \`approve ${exact}\`; answer **no** to drop it. It lapses at ${until}.`,
    ].join('\n'),
  unclear: 'That is no clear answer, so nothing was done; the proposal still stands.',
  dropped:
    'That was no yes or no, so the proposal that was open here is dropped; nothing was done.',
  oneOnly: (further) =>
    `One change at a time: ${further === 1 ? 'another one was' : `${String(further)} others were`} wanted too, and not proposed. Ask for it after this one.`,
  refusedByUser: 'Not approved. Nothing was done.',
  lapsed: 'This proposal has lapsed; nothing was done. Ask again if it is still wanted.',
  invalid: 'This is not the plan that was proposed here; nothing was done.',
  otherVersion:
    'This proposal was made by another version of this assistant, so it is not carried out; nothing was done. Ask again.',
  which:
    'Say which alerts to silence: by name (`silence HighErrorRate for 1h`), by labels (`silence alertname="HighErrorRate" service="checkout" for 2h`), or one of a list that I have just shown (`silence the second one`). Nothing was done.',
  notOrdered:
    'Whether to do that is for you to judge, so I proposed nothing. To have it proposed, say it as an order: `silence HighErrorRate for 1h`.',
  nothingLike: (words) =>
    `Nothing that fires now has ${words}, so I made no proposal. To silence it all the same, write the labels out: \`silence alertname="…" for 1h\`.`,
  leftOver: (words) =>
    `I cannot put ${words} into a silence, and without it the silence might be wider than you said, so I proposed nothing. Leave it out, or write all conditions as labels, exclusions too: \`silence team="payments" service!="checkout" for 1h\`. Nothing was done.`,
  leftOverEnd: (words) =>
    `I do not know what ${words} means here, so I proposed nothing. Name the silence by its id: \`expire silence <id>\` (\`list silences\` shows them). Nothing was done.`,
  startsNow: (words) =>
    `A silence starts as soon as it is approved and lasts for one stretch of time; I cannot put it off or tie it to ${words}. Ask again when it is to start, with how long it is to last: \`silence HighErrorRate for 1h\` or \`… until 18:00\`. Nothing was done.`,
  endsNow: (words) =>
    `A silence ends as soon as that is approved; I cannot put that off (${words}). Ask again when it is to end. Nothing was done.`,
  alternatives: (joined) =>
    joined === undefined
      ? 'All labels of a silence must hold at once, so that one cannot say “this or that”. Order two silences, one after the other. Nothing was done.'
      : `All labels of a silence must hold at once, and no alert has two values of one label. For any of them say \`silence ${joined} for 1h\`. Nothing was done.`,
  ambiguous: (words) =>
    `One silence cannot say that for ${words}: all of its labels must hold at once. Write the labels out (\`silence alertname="…" service="…" for 1h\`), or order two silences, one after the other. Nothing was done.`,
  whichTime: (words) =>
    `I do not understand how long that is${words === '' ? '' : ` (${plain(words)})`}; say it like \`for 2h\` or \`until 18:00\`. Nothing was done.`,
  noSilence: (words) =>
    `There is no active silence${words === '' ? '' : ` for ${words}`}. Nothing was done.`,
  unseen: (failures) => `**I cannot tell**: ${failures}. Nothing was proposed or done.`,
  failure: (error) => plain(failure(ENGLISH_WORDS, error), 500),
  whichSilence: (count) =>
    `${String(count)} silences fit. Name one by its id: \`expire silence <id>\`.`,
  cannotPlan: (reason) => `This cannot be done as it was said: ${plain(reason, 500)}`,
  denied: {
    off: 'I may not do that here: the configuration of this team does not allow it. Nothing was done.',
    scope:
      'I may not do that: it goes beyond what the configuration of this team allows (labels or duration). Nothing was done.',
    danger:
      'I may not do that: it is too far-reaching (no specific label, a great part of what fires now, or longer than 24 h) for what the configuration of this team allows. Nothing was done.',
  },
  deniedFor: (longest) =>
    `I may not do that: it goes beyond the time that the configuration of this team allows, which is at most ${span(longest, ['d', 'h', 'min', 's'])}. Nothing was done.`,
  waiting: (seconds) => `Waiting for an operator to approve it, ${String(seconds)} s at most`,
  operator: (decision, by) =>
    ({
      approved: `Approved by the operator ${plain(by)}.`,
      refused: `The operator ${plain(by)} refused it. Nothing was done.`,
      expired: 'No operator decided in time. Nothing was done.',
      full: 'Too many requests wait for an operator already. Nothing was done.',
    })[decision],
  doing: (tool) => `Carrying out ${tool}`,
  before: (text) => `An instance that is gone now had begun this before: ${text}`,
  silenced: (id, source) => `Done: the silence ${code(id)} is in ${code(source)}.`,
  expired: (id, source) => `Done: the silence ${code(id)} in ${code(source)} has ended.`,
  alreadyExpired: 'This silence has ended already; there was nothing to do.',
  changed: 'The silence has changed since it was shown; nothing was done.',
  endsBefore: 'The time at which it should end has passed; nothing was done.',
  noSource: 'The source takes no silences any more; nothing was done.',
  failed: (error) => `${failure(ENGLISH_WORDS, error)}. Nothing was done.`,
  found: ({ id, source, at, hasEnded }) =>
    `Done: the silence ${code(id)} was made in ${code(source)}, as was seen there at ${at}.${hasEnded ? ' It has ended since.' : ''}`,
  lookedFor: ({ source, at }) =>
    `No such silence was in ${code(source)} at ${at}; whether it will still appear is not known. It is not asked for again: look with \`list silences\` before you do`,
  foundEnded: ({ id, source, at }) =>
    `The silence ${code(id)} in ${code(source)} has ended, as was seen there at ${at}.`,
  foundActive: ({ id, source, at }) =>
    `The silence ${code(id)} was still in ${code(source)} at ${at}; whether it will still end early is not known. Look with \`list silences\` before you ask again`,
  unsure: (error, seen) =>
    `It is not known whether it was done: ${failure(ENGLISH_WORDS, error)}. ${
      {
        absent: 'No such silence is shown at the moment, but it may still appear.',
        still: 'The silence is still there at the moment.',
        unseen: 'The silences could not be read either.',
      }[seen]
    } Look at the silences before you ask again.`,
};

const CHINESE: WriteWords = {
  createSilence: ({ source, matchers, until, lasts, by, comment, covers }) => [
    `**创建静默**，位于 ${code(source)}`,
    `- 匹配条件：${exactly(matchers)}`,
    `- 自批准时起，至 **${until}**（自提出起 ${span(lasts, ['天', '小时', '分钟', '秒'])}）`,
    `- 创建人 ${code(by, 250)}；备注：${plain(comment, 600)}`,
    ...(covers === undefined
      ? []
      : [
          `- 范围：${plain(covers.where, 300)}`,
          `- 据 ${code(source)} 自身预览，目前覆盖 ${String(covers.count)} 条正在触发的告警：${named(covers, '更多')}`,
        ]),
  ],
  expireSilence: ({ id, source, matchers, until, by }) => [
    `**立即结束静默** ${code(id)}，位于 ${code(source)}`,
    `- 其匹配条件：${list(matchers)}`,
    `- 创建人 ${code(by, 250)}，原定结束时间 ${until}`,
  ],
  callRemote: ({ remote, kind, lines }) => [
    kind === 'agent'
      ? `**请智能体** ${code(remote)} 执行以下任务（可能产生变更）：`
      : `**调用** ${code(remote)} 的工具（可能产生变更）：`,
    ...quote(lines),
  ],
  question: ({ lines, affected, away, until, code: exact }) =>
    [
      '以下操作需要您批准：',
      '',
      ...lines,
      ...(affected === undefined ? [] : [`- 目前匹配 ${String(affected)} 条正在触发的告警`]),
      ...away.map((error) => `- ⚠ ${CHINESE.failure(error)}，其内容未计入`),
      '',
      exact === undefined
        ? `请回答**是**或**否**。该提议于 ${until} 失效。`
        : `**此操作影响面很大。**如要批准，请原样回答 \`批准 ${exact}\`；回答**否**则放弃。该提议于 ${until} 失效。`,
    ].join('\n'),
  unclear: '回答不明确，未执行任何操作；该提议仍然有效。',
  dropped: '这不是明确的“是”或“否”，此前待确认的提议已作废，未执行任何操作。',
  oneOnly: (further) =>
    `一次只能提出一项变更：另外 ${String(further)} 项未提出，请在此项之后再提出。`,
  refusedByUser: '未批准，未执行任何操作。',
  lapsed: '该提议已失效，未执行任何操作。如仍需要，请重新提出。',
  invalid: '这不是在此提出的操作，未执行任何操作。',
  otherVersion: '该提议由另一版本的助手提出，因此不予执行，未执行任何操作。请重新提出。',
  which:
    '请说明要静默哪些告警：按名称（`静默 HighErrorRate 一小时`）、按标签（`静默 alertname="HighErrorRate" service="checkout" 两小时`），或刚才列表中的某一条（`静默第二条`）。未执行任何操作。',
  notOrdered:
    '是否这样做需要由您判断，因此未提出操作。如要提出，请直接下达指令：`静默 HighErrorRate 一小时`。',
  nothingLike: (words) =>
    `目前没有与 ${words} 匹配的告警，因此未提出操作。如仍要静默，请写出标签：\`静默 alertname="…" 一小时\`。`,
  leftOver: (words) =>
    `无法用静默表达 ${words}，忽略它会使静默范围大于您的要求，因此未提出操作。请去掉它，或把全部条件（包括排除项）写成标签：\`静默 team="payments" service!="checkout" 一小时\`。未执行任何操作。`,
  leftOverEnd: (words) =>
    `无法理解此处的 ${words}，因此未提出操作。请用编号指定静默：\`结束静默 <id>\`（\`查看静默\` 可列出）。未执行任何操作。`,
  startsNow: (words) =>
    `静默在批准后立即开始，且只持续一段时间，无法推迟或取决于 ${words}。请在需要开始时再提出，并说明时长：\`静默 HighErrorRate 一小时\` 或 \`静默 HighErrorRate 到 18:00\`。未执行任何操作。`,
  endsNow: (words) =>
    `静默在批准后立即结束，无法推迟（${words}）。请在需要结束时再提出。未执行任何操作。`,
  alternatives: (joined) =>
    joined === undefined
      ? '静默的所有标签必须同时满足，无法表达“或”。请分别提出两个静默。未执行任何操作。'
      : `静默的所有标签必须同时满足，而一条告警的同一标签只有一个值。如要匹配其中任意一个，请说 \`静默 ${joined} 一小时\`。未执行任何操作。`,
  ambiguous: (words) =>
    `一个静默无法这样表达 ${words}：其所有标签必须同时满足。请写出标签（\`静默 alertname="…" service="…" 一小时\`），或分别提出两个静默。未执行任何操作。`,
  whichTime: (words) =>
    `无法理解时长${words === '' ? '' : `（${plain(words)}）`}，请使用如 \`2小时\` 或 \`until 18:00\` 的写法。未执行任何操作。`,
  noSilence: (words) =>
    `没有${words === '' ? '' : `与 ${words} 匹配的`}生效中的静默。未执行任何操作。`,
  unseen: (failures) => `**无法确定**：${failures}。未提出或执行任何操作。`,
  failure: (error) => plain(failure(CHINESE_WORDS, error), 500),
  whichSilence: (count) => `有 ${String(count)} 条静默符合，请用编号指定：\`结束静默 <id>\`。`,
  cannotPlan: (reason) => `无法按此执行：${plain(reason, 500)}`,
  denied: {
    off: '本团队的配置不允许我执行该操作，未执行任何操作。',
    scope: '该操作超出了本团队配置允许的范围（标签或时长），未执行任何操作。',
    danger:
      '该操作影响面过大（没有具体标签、覆盖目前大部分或大量告警，或超过 24 小时），本团队的配置不允许，未执行任何操作。',
  },
  deniedFor: (longest) =>
    `本团队的配置最多允许 ${span(longest, ['天', '小时', '分钟', '秒'])}，未执行任何操作。`,
  waiting: (seconds) => `等待管理员批准，最多 ${String(seconds)} 秒`,
  operator: (decision, by) =>
    ({
      approved: `管理员 ${plain(by)} 已批准。`,
      refused: `管理员 ${plain(by)} 已拒绝，未执行任何操作。`,
      expired: '管理员未及时处理，未执行任何操作。',
      full: '等待管理员处理的请求已满，未执行任何操作。',
    })[decision],
  doing: (tool) => `正在执行 ${tool}`,
  before: (text) => `已退出的实例此前已开始执行：${text}`,
  silenced: (id, source) => `完成：静默 ${code(id)} 已创建于 ${code(source)}。`,
  expired: (id, source) => `完成：${code(source)} 中的静默 ${code(id)} 已结束。`,
  alreadyExpired: '该静默早已结束，无需操作。',
  changed: '该静默在展示之后已被修改，未执行任何操作。',
  endsBefore: '预定的结束时间已过，未执行任何操作。',
  noSource: '该数据源不再接受静默，未执行任何操作。',
  failed: (error) => `${failure(CHINESE_WORDS, error)}。未执行任何操作。`,
  found: ({ id, source, at, hasEnded }) =>
    `完成：静默 ${code(id)} 已创建于 ${code(source)}（${at} 查询确认）。${hasEnded ? '该静默此后已结束。' : ''}`,
  lookedFor: ({ source, at }) =>
    `${at} 查询时 ${code(source)} 中没有这样的静默，之后是否会出现无法确定。系统不会重复执行；重新提出前请先用\`查看静默\`确认`,
  foundEnded: ({ id, source, at }) =>
    `${code(source)} 中的静默 ${code(id)} 已结束（${at} 查询确认）。`,
  foundActive: ({ id, source, at }) =>
    `${at} 查询时 ${code(source)} 中的静默 ${code(id)} 仍然存在，之后是否会提前结束无法确定。重新提出前请先用\`查看静默\`确认`,
  unsure: (error, seen) =>
    `无法确定操作是否已执行：${failure(CHINESE_WORDS, error)}。${
      {
        absent: '目前没有这样的静默，但之后可能出现。',
        still: '该静默目前仍然存在。',
        unseen: '也无法读取静默列表。',
      }[seen]
    }请先查看静默，再重新提出。`,
};

/** `lang` wins; else a text with Han characters is Chinese. */
export function writeWordsFor(lang: string | undefined, text: string): WriteWords {
  if (lang !== undefined && lang !== '') return /^zh(?:[-_]|$)/i.test(lang) ? CHINESE : ENGLISH;
  return /\p{Script=Han}/u.test(text) ? CHINESE : ENGLISH;
}

function alertsNow(count: number): string {
  return count === 1 ? '1 alert that fires now' : `${String(count)} alerts that fire now`;
}

function failure(words: typeof ENGLISH_WORDS, { source, fault }: SourceError): string {
  return words.failure(source, fault);
}

/** As a quotation, whatever Markdown it holds; nothing is changed or left out. */
function quote(text: string): readonly string[] {
  return text.split('\n').map((line) => `> ${line === '' ? '' : verbatim(line)}`);
}

/** A code span that shows exactly this: fenced by more backticks than the text has in a row. */
function verbatim(line: string): string {
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  // One blank at each end is none of the text (CommonMark 6.1).
  const gap = /^[` ]|[` ]$/.test(line) && line.trim() !== '' ? ' ' : '';
  return `${fence}${gap}${line}${gap}${fence}`;
}

/** Matchers of a plan, which hold nothing that cannot be seen: `a|b` is `a|b`. */
function exactly(matchers: readonly string[]): string {
  return matchers.map(verbatim).join(' ');
}

function list(matchers: readonly string[]): string {
  return matchers.map((one) => code(one, MATCHER_CHARS)).join(' ');
}

function named({ count, some }: Covered, more: string): string {
  const names = some.map((one) => code(one, 250)).join(' ');
  return count > some.length ? `${names} (+${String(count - some.length)} ${more})` : names;
}

/** Whole minutes, or to the second where it is short: 90 s are no 2 min. */
function span(ms: number, [d, h, m, sec]: readonly [string, string, string, string]): string {
  const isShort = ms < 3_600_000;
  const seconds = isShort ? Math.max(1, Math.round(ms / 1000)) : Math.round(ms / 60_000) * 60;
  const minutes = Math.floor(seconds / 60);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(minutes / 1440), d],
    [Math.floor((minutes % 1440) / 60), h],
    [minutes % 60, m],
    [seconds % 60, sec],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${String(count)} ${unit}`)
    .join(' ');
}
