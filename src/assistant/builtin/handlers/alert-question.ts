import type { AlertOrder, Selection } from '../../tools/alert-selection.js';
import type { Clause } from '../../tools/label-matcher.js';
import type { Reading } from '../answer/understood.js';
import type { AlertState } from '../answer/words.js';
import type { ListMemory } from '../memory.js';
import type { Question } from '../parse/question.js';
import { pointsBack } from '../parse/sentence.js';
import type { TurnRun } from '../turn-run.js';
import { iso } from '../../tools/iso-time.js';

/** A question about alerts with everything that follows from the turns before it. */
export interface AlertQuestion {
  readonly question: Question;
  readonly form: ListMemory['form'];
  readonly by: readonly string[];
  readonly where: readonly Clause[];
  readonly state: AlertState;
  readonly after?: number;
  readonly before?: number;
  readonly order?: AlertOrder;
  readonly limit?: number;
  readonly inherited: boolean;
  /** The question of the past that was asked before, of something else. */
  readonly goesOn?: true;
}

/** Puts together what was asked now and, for a follow-up, what was asked before. */
export function alertQuestion(run: TurnRun, question: Question): AlertQuestion {
  const old = isFollowUp(question) ? goneOnWith(run.memory, question) : undefined;
  // `what about NodeDown` after a list for prod asks for that alert, wherever it is.
  const isOther = namesAlert(question) && !question.sentence.any('them');
  const { time, order } = question;
  // `and BackupTooOld?` after `how many times did ReplicaLag fire today?`: the same of another.
  const isOfPast = old?.past !== undefined && goesOnWithPast(question);
  const isOtherPast = isOfPast && question.conditions.unmatched.length > 0;
  const kept = isOther || isOtherPast ? [] : (old?.where ?? []);
  // `the same for web-77` where nothing is called so: in place of the host before, not beside it.
  const isSame = question.conditions.unmatched.length > 0 && SAME.test(textOf(question));
  const where = mergeWhere(isSame ? kept.filter(isOfNoHost) : kept, question.conditions.where);
  const keepsTime = time === undefined && (!isOther || isOfPast);
  const after = keepsTime ? old?.after : time?.after;
  const before = keepsTime ? old?.before : time?.before;
  const { limit } = question.references;
  const own = formOf(question);
  return {
    question,
    form: own ?? old?.form ?? 'list',
    by:
      question.grouping.by.length > 0
        ? question.grouping.by
        : own === undefined
          ? (old?.by ?? [])
          : [],
    where,
    state: question.state ?? (isOther ? undefined : old?.state) ?? 'firing',
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(order === undefined ? {} : { order }),
    ...(limit === undefined ? {} : { limit }),
    inherited: old !== undefined && (!isOther || isOfPast),
    ...(isOfPast ? { goesOn: true as const } : {}),
  };
}

const SAME = /\bsame (?:\w+ )?for\b|换成|换为|换到/iu;
const HOST_LABELS: ReadonlySet<string> = new Set(
  'instance ident host hostname node nodename pod service app job'.split(' '),
);

function textOf({ sentence }: Question): string {
  return sentence.segments.map(({ key }) => key).join(' ');
}

function isOfNoHost(clause: Clause): boolean {
  return !labelsOf(clause).some((label) => HOST_LABELS.has(label));
}

/** After a question of the past, `and what fires now?` asks for all; `which of them …` for those. */
function goneOnWith(memory: ListMemory | undefined, question: Question): ListMemory | undefined {
  if (memory?.past === undefined || goesOnWithPast(question)) return memory;
  if (!question.sentence.any('them')) return undefined;
  const { past: _past, after: _after, before: _before, ...rest } = memory;
  return rest;
}

/** `and HighErrorRate?`, `and yesterday?`: nothing that asks for what fires now. */
function goesOnWithPast({ sentence }: Question): boolean {
  const asks = ['firing', 'alert', 'which', 'count', 'list', 'check', 'silenced', 'more'] as const;
  return !asks.some((concept) => sentence.any(concept));
}

export function continuesPast({ goesOn }: AlertQuestion): boolean {
  return goesOn === true;
}

/** For the tools. */
export function selectionOf(asked: AlertQuestion): Selection {
  return {
    where: [...asked.where],
    state: asked.state,
    ...(asked.after === undefined ? {} : { started_after: iso(asked.after) }),
    ...(asked.before === undefined ? {} : { started_before: iso(asked.before) }),
  };
}

/** For the user. */
export function readingOf(asked: AlertQuestion, task: string): Reading {
  const { question, where, state, after, before, order, limit, inherited } = asked;
  return {
    task,
    where,
    state,
    inherited,
    notes: question.notes,
    ignored: question.ignored,
    ...(question.references.threshold === undefined
      ? {}
      : { threshold: question.references.threshold }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(order === undefined ? {} : { order }),
    ...(limit === undefined ? {} : { limit }),
  };
}

/** For the next turn. */
export function memoryOf(
  asked: AlertQuestion,
  listed: ListMemory['listed'],
  shown: number,
): ListMemory {
  return {
    kind: 'builtin/1',
    listed,
    ...(listed.length === 1 ? { focus: 0 } : {}),
    form: asked.form,
    by: [...asked.by],
    where: [...asked.where],
    state: asked.state,
    ...(asked.after === undefined ? {} : { after: asked.after }),
    ...(asked.before === undefined ? {} : { before: asked.before }),
    ...(asked.order === undefined ? {} : { order: asked.order }),
    shown,
  };
}

export function hasConditions(asked: AlertQuestion): boolean {
  return asked.where.length > 0 || asked.after !== undefined || asked.before !== undefined;
}

/** `which of them are critical`, `and in staging?`, `只看严重的`. */
function isFollowUp({ sentence, follows }: Question): boolean {
  if (follows === true) return true;
  const begins = sentence.has(0, 'and') || sentence.any('follow');
  const narrows = sentence.any('only') && !sentence.any('alert');
  // `all alerts but the info ones` points at nothing that was said before.
  const points = pointsBack(
    sentence,
    (part) => part.concepts.has('them') && !(/ones$/.test(part.key) && sentence.any('alert')),
  );
  return points || begins || narrows;
}

function formOf({
  sentence,
  grouping,
  references,
  compares,
}: Question): ListMemory['form'] | undefined {
  const isMost = sentence.any('most') || sentence.any('least');
  if (compares || references.threshold !== undefined) return 'count';
  if (sentence.any('count') || grouping.by.length > 0 || grouping.missing.length > 0 || isMost) {
    return 'count';
  }
  // `ordered by start time` asks for no details.
  const isSince = sentence.any('since-when') && !sentence.any('sort');
  if (sentence.any('detail') || isSince) return 'detail';
  const isList = sentence.any('list') || sentence.any('which') || sentence.any('alert');
  return isList || sentence.any('check') ? 'list' : undefined;
}

function namesAlert({ conditions }: Question): boolean {
  return conditions.where.flatMap(labelsOf).includes('alertname');
}

/** A new condition on a label replaces the old one on it. */
function mergeWhere(old: readonly Clause[], now: readonly Clause[]): readonly Clause[] {
  const labels = new Set(now.flatMap(labelsOf));
  return [...old.filter((clause) => !labelsOf(clause).some((label) => labels.has(label))), ...now];
}

function labelsOf(clause: Clause): readonly string[] {
  const matchers = 'any' in clause ? clause.any : [clause];
  return matchers.flatMap(({ label }) => label ?? []);
}
