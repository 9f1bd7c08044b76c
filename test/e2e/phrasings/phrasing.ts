import type { World } from './world.js';

/** An alert as Alertmanager's API tells it. */
export interface FactAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly startsAt: string;
  readonly status: { readonly state: string };
}

export interface FactSilence {
  readonly matchers: readonly { readonly name: string; readonly value: string }[];
  readonly endsAt: string;
  readonly status: { readonly state: string };
}

/** What the services themselves say at the moment of the question. */
export interface Facts {
  /** Milliseconds. */
  readonly now: number;
  readonly alerts: readonly FactAlert[];
  /** The active ones. */
  readonly silences: readonly FactSilence[];
  readonly targets: { readonly up: readonly string[]; readonly down: readonly string[] };
  readonly rules: readonly string[];
  /** The result of an instant query for one number. */
  readonly evaluate: (promql: string) => Promise<number>;
}

/** What a right answer holds. */
export type Expected =
  /** Exactly these are named, each with its start. */
  | { readonly kind: 'alerts'; readonly alerts: readonly FactAlert[] }
  /** So many. */
  | { readonly kind: 'count'; readonly alerts: readonly FactAlert[] }
  /** So many for each value of the labels. */
  | {
      readonly kind: 'groups';
      readonly labels: readonly string[];
      readonly alerts: readonly FactAlert[];
    }
  /** All about this one, its start included. */
  | { readonly kind: 'detail'; readonly alert: FactAlert }
  /** Yes and these, or no. */
  | { readonly kind: 'alerting'; readonly alerts: readonly FactAlert[] }
  | { readonly kind: 'silences'; readonly silences: readonly FactSilence[] }
  | { readonly kind: 'targets' }
  | { readonly kind: 'rules' }
  | { readonly kind: 'value'; readonly value: number }
  /** These words, and none of those. */
  | { readonly kind: 'says'; readonly holds: readonly string[]; readonly lacks: readonly string[] }
  /** No source can tell: it is said so. */
  | { readonly kind: 'refusal' }
  /** What can be asked. */
  | { readonly kind: 'help' };

/** A phrasing with its blanks filled from a set of alerts. */
export interface Question {
  readonly text: string;
  /** Asked and judged before it in the same conversation; with `nth`, `text` means that alert of it. */
  readonly after?: { readonly question: Question; readonly nth?: number };
  readonly timezone?: string;
  readonly expected: (facts: Facts) => Expected | Promise<Expected>;
}

export type Phrasing = (world: World) => Question;

type Labels = Readonly<Record<string, string>>;

/** The alerts with all these labels that started in the last so many minutes. */
export function matching(facts: Facts, labels: Labels, minutes = Infinity): FactAlert[] {
  return facts.alerts.filter(
    (alert) =>
      Object.entries(labels).every(([name, value]) => alert.labels[name] === value) &&
      Date.parse(alert.startsAt) >= facts.now - minutes * 60_000,
  );
}

export function list(text: string, labels: Labels = {}, minutes?: number): Question {
  return {
    text,
    expected: (facts) => ({ kind: 'alerts', alerts: matching(facts, labels, minutes) }),
  };
}

export function count(text: string, labels: Labels): Question {
  return { text, expected: (facts) => ({ kind: 'count', alerts: matching(facts, labels) }) };
}

export function groups(text: string, label: string | string[], labels: Labels = {}): Question {
  return {
    text,
    expected: (facts) => ({
      kind: 'groups',
      labels: [label].flat(),
      alerts: matching(facts, labels),
    }),
  };
}

export function detail(text: string, alertname: string): Question {
  return {
    text,
    expected: (facts) => ({ kind: 'detail', alert: matching(facts, { alertname })[0]! }),
  };
}

export function alerting(text: string, labels: Labels): Question {
  return { text, expected: (facts) => ({ kind: 'alerting', alerts: matching(facts, labels) }) };
}

/** A question about the nth alert of the answer to `question`. */
export function about(nth: number, question: Question, text: string): Question {
  return { text, after: { question, nth }, expected: question.expected };
}

/** `next`, asked in the conversation of `question`. */
export function followedBy(question: Question, next: Question): Question {
  return { ...next, after: { question } };
}

export function says(
  text: string,
  holds: readonly string[],
  lacks: readonly string[] = [],
): Question {
  return { text, expected: () => ({ kind: 'says', holds, lacks }) };
}

export function refused(text: string): Question {
  return { text, expected: () => ({ kind: 'refusal' }) };
}

/** The active silences with a matcher of this value, or all of them. */
export function silences(text: string, value?: string): Question {
  return {
    text,
    expected: (facts) => ({
      kind: 'silences',
      silences: facts.silences.filter(
        ({ matchers }) => value === undefined || matchers.some((m) => m.value === value),
      ),
    }),
  };
}

export function targets(text: string): Question {
  return { text, expected: () => ({ kind: 'targets' }) };
}

export function rules(text: string): Question {
  return { text, expected: () => ({ kind: 'rules' }) };
}

export function value(text: string, promql: string): Question {
  return {
    text,
    expected: async (facts) => ({ kind: 'value', value: await facts.evaluate(promql) }),
  };
}

export function inZone(timezone: string, question: Question): Question {
  return { ...question, timezone };
}

export function help(text: string): Question {
  return { text, expected: () => ({ kind: 'help' }) };
}

/** The alerts of `labels` that fit as well. */
export function those(
  text: string,
  labels: Labels,
  fits: (alert: FactAlert, facts: Facts) => boolean,
): Question {
  return {
    text,
    expected: (facts) => ({
      kind: 'alerts',
      alerts: matching(facts, labels).filter((alert) => fits(alert, facts)),
    }),
  };
}

/** Those that fire the longest: more than one, where they began together. */
export function oldest(text: string, labels: Labels = {}): Question {
  return {
    text,
    expected: (facts) => {
      const alerts = matching(facts, labels);
      const first = alerts.map(({ startsAt }) => startsAt).sort()[0];
      return { kind: 'alerting', alerts: alerts.filter(({ startsAt }) => startsAt === first) };
    },
  };
}
