import { getAlert, type AlertDetail, type GetAlertResult } from '../../tools/get-alert.tool.js';
import { readRunbook, type ReadRunbookResult } from '../../tools/read-runbook.tool.js';
import { ToolInputError } from '../../tools/tool.js';
import { closing, lackOf, unanswered } from '../answer/closing.js';
import { code, link, plain } from '../answer/markdown.js';
import { showConditions } from '../answer/show-conditions.js';
import type { ListMemory } from '../memory.js';
import { type Question, readQuestion } from '../parse/question.js';
import type { Vocabulary } from '../parse/vocabulary.js';
import { hanNumber, numberOf, ordinalOf } from '../text/numerals.js';
import type { Answer, Handling, TurnRun } from '../turn-run.js';

const RUNBOOK =
  /\b(?:run[ -]?books?|playbooks?|sops?)\b|(?:处理|处置|应急|操作|故障|排障)?(?:手册|预案)/iu;
const ENGLISH_STEP =
  /\b(?:(?<ordinal>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|\d{1,2}(?:st|nd|rd|th))\s+(?:step|thing)|step\s+(?:number\s+)?(?<number>\d{1,2}))\b/iu;
const CHINESE_STEP =
  /第(?<ordinal>[一二三四五六七八九十两\d]{1,3})(?:个)?步骤?|最后一?(?:个)?步骤?/u;
/** What asks for a page to be read, and is no condition on alerts. */
const ASKING =
  /\b(?:say|says|said|tell|tells|told|read|recommend|recommends|advise|advises|suggest|suggests|instruct|instructs|steps?|instructions?|page|pages|link|links|to do|do|out|there|contents?|entry|open|quote|summari[sz]e|follow)\b|怎么[说写做讲]|如何[说写做讲]|[写说讲]了?(?:些|的)?(?:什么|啥)|里面?|上面?|步骤|内容|有哪些|是什么|读一下|念一下|看一下|打开|链接|告诉我|建议/giu;
/** Annotations by which alerts name their page. */
const ANNOTATIONS = ['runbook_url', 'runbook', 'runbook_link', 'runbookUrl', 'playbook'];
const MOST_STEPS = 20;
const MOST_LINES = 25;
const LINE_CHARS = 500;

export interface RunbookQuestion {
  readonly question: Question;
  /** From 1; -1 is the last. */
  readonly step?: number;
}

/** `what does the runbook say for the first one?`, 手册第二步是什么; undefined for any other question. */
export function runbookQuestion(
  text: string,
  vocabulary: Vocabulary,
  run: TurnRun,
): RunbookQuestion | undefined {
  if (!RUNBOOK.test(text)) return undefined;
  const found = ENGLISH_STEP.exec(text) ?? CHINESE_STEP.exec(text);
  const bare = text.replace(found?.[0] ?? RUNBOOK, ' ').replace(RUNBOOK, ' ');
  const question = readQuestion(bare.replace(ASKING, ' '), vocabulary, run);
  const { sentence, conditions, unsure } = question;
  const isOther = (
    ['count', 'not', 'without', 'silence', 'silenced', 'target', 'rule', 'source', 'by'] as const
  ).some((concept) => sentence.any(concept));
  if (isOther || unsure.length > 0 || question.domain === 'write') return undefined;
  if (conditions.contradictory || question.time !== undefined) return undefined;
  const step = found === null ? undefined : stepOf(found[0], found.groups ?? {});
  return { question, ...(step === undefined ? {} : { step }) };
}

function stepOf(text: string, { ordinal, number }: Record<string, string | undefined>): number {
  if (/last|最后/iu.test(text)) return -1;
  const said = (number ?? ordinal ?? '').toLowerCase();
  return ordinalOf(said) ?? numberOf(said) ?? hanNumber(said) ?? 1;
}

/** Quotes the page that the alert links to, with where it was read and when. */
export async function* answerRunbook(run: TurnRun, { question, step }: RunbookQuestion): Handling {
  const { words } = run;
  const { unmatched } = question.conditions;
  if (unmatched.length > 0) {
    const names = unmatched.map(({ text }) => code(text)).join(', ');
    // So that it is known whether all of them answered.
    await run.reads.alerts(run.signal);
    return { blocks: [words.runbook.noAlert(names)] };
  }
  const meant = yield* alertsMeant(run, question);
  if ('blocks' in meant) return meant;
  const { result, memory } = meant;
  const none = unanswered(run, result, 'alerts');
  if (none !== undefined) return { blocks: none };
  const kept = memory === undefined ? {} : { memory };
  const names = [...new Set(result.alerts.map(({ name }) => code(name)))].join(', ');
  const pages = pagesOf(result.alerts);
  const [only] = pages;
  if (only === undefined) {
    return { blocks: [words.runbook.none(names), ...closing(run, result)], ...kept };
  }
  if (pages.length > 1) {
    const lines = pages.map(({ name, text }) => `- ${code(name)}: ${link(text) ?? plain(text)}`);
    const blocks = [words.runbook.several, lines.join('\n'), ...closing(run, result)];
    return { blocks, ...kept };
  }
  return { blocks: yield* quoted(run, only, step, result), ...kept };
}

interface Page {
  readonly name: string;
  readonly text: string;
}

/** One of each page that the alerts name. */
function pagesOf(alerts: readonly AlertDetail[]): readonly Page[] {
  const pages = new Map<string, Page>();
  for (const { name, annotations } of alerts) {
    const text = ANNOTATIONS.map((one) => annotations[one]).find((one) => one?.trim());
    if (text !== undefined && !pages.has(text)) pages.set(text, { name, text });
  }
  return [...pages.values()];
}

type Meant = { readonly result: GetAlertResult; readonly memory?: ListMemory } | Answer;

/** The alerts that the question names, or the one of the list before that it points at. */
async function* alertsMeant(run: TurnRun, { conditions, references }: Question): Handling<Meant> {
  const { memory, words } = run;
  const { where } = conditions;
  const [position] = references.positions;
  if (where.length === 0 && memory !== undefined) {
    const { listed } = memory;
    const focus = memory.focus ?? (listed.length === 1 ? 0 : undefined);
    const index = position === undefined ? focus : position < 0 ? listed.length - 1 : position - 1;
    const known = index === undefined ? undefined : listed[index];
    if (known !== undefined && index !== undefined) {
      const { source, fingerprint, name } = known;
      const result = yield* run.call(getAlert, { source, fingerprint });
      if (result.total === 0 && unanswered(run, result, 'alerts') === undefined) {
        const lack = lackOf(run, result);
        const told = lack === '' ? words.gone(code(name)) : words.cannotTell(lack);
        return { blocks: [told, ...closing(run, result)] };
      }
      return { result, memory: { ...memory, focus: index } };
    }
    if (position !== undefined) return { blocks: [words.noPosition(position, listed.length)] };
    return { blocks: [words.whichOne] };
  }
  if (where.length === 0) {
    return { blocks: [position === undefined ? words.whichOne : words.noList] };
  }
  const result = yield* run.call(getAlert, { where: [...where] });
  const [one] = result.alerts;
  if (one === undefined) {
    if (unanswered(run, result, 'alerts') !== undefined) return { result };
    const told = words.runbook.noAlert(showConditions(where, words));
    return { blocks: [told, ...closing(run, result)] };
  }
  const { source, fingerprint, name, labels } = one;
  const listed = [{ source, fingerprint, name, labels }];
  return {
    result,
    memory: { kind: 'builtin/1', listed, focus: 0, form: 'detail', where: [...where], shown: 1 },
  };
}

async function* quoted(
  run: TurnRun,
  { name, text }: Page,
  step: number | undefined,
  alerts: GetAlertResult,
): Handling<readonly string[]> {
  const { words, reads } = run;
  const url = link(text);
  const said = code(name);
  // Some teams write what is to be done into the alert itself.
  if (url === undefined) {
    return [...quote(run, said, { title: '', text }, step), ...closing(run, alerts)];
  }
  const { runbooks } = reads.sources;
  if (runbooks?.covers(text) !== true || !run.may(readRunbook.name)) {
    return [words.runbook.unread(said, url, words.runbook.closed), ...closing(run, alerts)];
  }
  let page: ReadRunbookResult;
  try {
    page = yield* run.call(readRunbook, { url: text });
  } catch (error) {
    if (!(error instanceof ToolInputError)) throw error;
    const reason = plain(words.toolRefusal(error), 300);
    return [words.runbook.unread(said, url, reason), ...closing(run, alerts)];
  }
  const more = page.has_more ? [words.runbook.goesOn(url)] : [];
  return [...quote(run, said, page, step), ...more, ...closing(run, page)];
}

/** The page's steps or, where it lists none, its first lines; what it says is marked as a quotation. */
function quote(
  { words }: TurnRun,
  alert: string,
  { title, text }: Pick<ReadRunbookResult, 'title' | 'text'>,
  wanted: number | undefined,
): readonly string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const steps = stepsOf(lines);
  const shown = steps.length > 0 ? steps.slice(0, MOST_STEPS) : lines.slice(0, MOST_LINES);
  const whole = shown.map((line, index) => {
    const number = steps.length > 0 ? `${String(index + 1)}\\. ` : '';
    return `> ${number}${plain(line, LINE_CHARS)}`;
  });
  const block = whole.length === 0 ? words.runbook.empty : whole.join('  \n');
  const left = (steps.length > 0 ? steps : lines).length - shown.length;
  const rest = left > 0 ? [words.more(left)] : [];
  if (wanted === undefined) return [words.runbook.says(alert, plain(title)), block, ...rest];
  const number = wanted === -1 ? steps.length : wanted;
  const step = steps[number - 1];
  if (step === undefined) return [words.runbook.noStep(number, steps.length), block, ...rest];
  return [words.runbook.step(number, steps.length, alert), `> ${plain(step, LINE_CHARS)}`];
}

const NUMBERED =
  /^(?:\d{1,2}\s*[.)、．:：]|step\s+\d{1,2}\s*[.):：]?|第[一二三四五六七八九十\d]{1,3}步\s*[,，.:：、]?)\s*(?=\S)/iu;
const LISTED = /^[-*•]\s+(?=\S)/u;

/** Numbered lines or, without those, the items of its lists. */
function stepsOf(lines: readonly string[]): readonly string[] {
  for (const mark of [NUMBERED, LISTED]) {
    const steps = lines.filter((line) => mark.test(line)).map((line) => line.replace(mark, ''));
    if (steps.length > 0) return steps;
  }
  return [];
}
