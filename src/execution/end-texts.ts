import { OPERATOR, SUSPENDED } from '../domain/cancel-mark.js';
import type { Done } from './run-calls.js';

/** The intent of a backend of which nobody knows what it does. */
export const UNMARKED = 'an unmarked backend';

/** The texts with which the gateway itself ends a task; written for the user. */
export const ENDED = {
  unknown: 'The assistant failed; the operators’ log has the details',
  budget: 'The time budget of this task is used up',
  rewound: 'The task store lost a part of this task; please ask again',
  unsure:
    'The instance that ran this task was lost; an action may have been done. Check before you ask again',
  died: 'The instance that ran this task was lost',
  poison: 'The instances that ran this task were lost again and again; it was given up',
  outage: 'This task was broken off by an outage of the task store; please ask again',
  expired:
    'The question was not answered in time; nothing more was done. Ask again if it is still wanted',
  canceled: 'Canceled by the user. What was done before is not undone',
  operator: 'Canceled by the operator. What was done before is not undone',
  suspended: 'Canceled: the tenant or the user was suspended. What was done before is not undone',
} as const;

/** `ENDED.unsure`, with what it is that may have been done; `chinese`: for a user who writes that. */
export function unsure(effects: readonly string[], chinese = false): string {
  const named = effects.filter((text) => text !== UNMARKED);
  if (chinese) {
    const about = named.length === 0 ? '' : `当时即将执行：${named.join('；')}。`;
    return `执行该任务的实例已丢失，操作可能已经执行。${about}重新提出前请先确认`;
  }
  return named.length === 0
    ? ENDED.unsure
    : `${ENDED.unsure}. It was about to: ${named.join('; ')}`;
}

/** Does its user write Chinese? `lang` wins over what was written. */
export function isChinese({
  lang,
  text,
}: {
  readonly lang?: string;
  readonly text: string;
}): boolean {
  return lang === undefined || lang === ''
    ? /\p{Script=Han}/u.test(text)
    : /^zh(?:[-_]|$)/i.test(lang);
}

/** `canceledBy`, with what may have been done before. */
export function canceled(effects: readonly string[], mark: string): string {
  const named = effects.filter((text) => text !== UNMARKED);
  const text = canceledBy(mark);
  return named.length === 0 ? text : `${text}. May have been done: ${named.join('; ')}`;
}

/** Who canceled, by the cancel mark. */
export function canceledBy(mark: string): string {
  if (mark === SUSPENDED) return ENDED.suspended;
  return mark === OPERATOR ? ENDED.operator : ENDED.canceled;
}

/** What a run has done outside, or may have, to be put behind a text; empty when nothing was. */
export function listDeeds(deeds: readonly Done[]): string {
  if (deeds.length === 0) return '';
  const list = deeds.map(({ text, outcome }) =>
    outcome === 'done' ? `done: ${text}` : `may have been done: ${text}`,
  );
  return ` ${list.join('; ')}`;
}
