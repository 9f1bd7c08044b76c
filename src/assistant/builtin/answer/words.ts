import type { Whose } from '../../../domain/limit.js';
import type { SourceFault } from '../../sources/source-error.js';
import type { SourceInfo } from '../../sources/source-info.js';
import type { ToolInputError } from '../../tools/tool-input-error.js';

export type AlertState = 'firing' | 'active' | 'suppressed' | 'pending';

/** Names that are told of those that tie. */
export const MOST_NAMES = 5;

/**
 * Everything the builtin backend says, in one language. Arguments that come from users or sources
 * are already escaped.
 */
export interface Words {
  readonly language: 'en' | 'zh';
  readonly help: string;
  readonly greeting: string;
  readonly thanks: string;
  readonly unknown: string;
  /** Examples of what can be asked, by topic. */
  readonly topics: Readonly<
    Record<'alerts' | 'count' | 'detail' | 'silences' | 'query' | 'targets' | 'sources', string>
  >;
  /** Refuses a question for these words of it. */
  readonly unsure: (words: string) => string;
  /** One of several questions that was not understood. */
  readonly partUnknown: (text: string) => string;
  readonly readOnly: string;
  /** Where some writes are allowed, but not what was asked for. */
  readonly silencesOnly: (creates: boolean, ends: boolean) => string;
  /** What only some teams have, for the help. */
  readonly capability: Readonly<
    Record<'triage' | 'charts' | 'runbooks' | 'creates' | 'ends' | 'changes' | 'readsOnly', string>
  > & { readonly agents: (names: readonly string[]) => string };
  readonly past: (total: number, filter: string, from: string, to: string) => string;
  readonly noHistory: string;
  /** From the history of Prometheus; `times`: stretches in all. */
  readonly fired: (
    isEnded: boolean,
    total: number,
    times: number,
    filter: string,
    from: string,
    to: string,
  ) => string;
  readonly firedThen: (total: number) => string;
  readonly firedAlready: (total: number) => string;
  readonly noneFired: string;
  readonly weekOnly: string;
  readonly timesFired: string;
  readonly firedAtEnd: string;
  readonly contradictory: string;
  readonly tooLong: (characters: number) => string;
  /** Of an expression or an order. */
  readonly tooLongToRun: (characters: number) => string;
  readonly noList: string;
  readonly whichOne: string;
  readonly demo: string;
  readonly otherLanguage: (lang: string) => string;
  readonly badTimezone: (zone: string) => string;
  readonly badInput: (text: string) => string;
  readonly toolsSpent: (whose: Whose) => string;

  /** `all`: without conditions. */
  readonly leadAll: (state: AlertState, total: number, suppressed: number) => string;
  readonly leadSome: (state: AlertState, total: number, all: number, suppressed: number) => string;
  readonly leadNone: (state: AlertState, conditions: string, others: number) => string;
  /** For `noneSeen`. */
  readonly alertsThat: (state: AlertState) => string;
  /** In place of "there is none", when something did not answer. */
  readonly noneSeen: (what: string, conditions: string, failures: string) => string;
  /** Behind a note that says that there is no such thing, when something did not answer. */
  readonly asFarAsSeen: (text: string, failures: string) => string;
  /** After what was found, when something did not answer. */
  readonly partly: (failures: string) => string;
  readonly cannotTell: (failures: string) => string;
  /** There is no such label in what did answer. */
  readonly labelUnseen: (label: string) => string;
  /** Prometheus fires what the alert routers that answered do not have. */
  readonly unrouted: (count: number, names: string, routers: string) => string;
  readonly yes: string;
  readonly no: string;
  readonly stillFiring: string;
  readonly notFiring: string;
  readonly allWell: string;
  readonly notWell: string;
  readonly near: (values: string) => string;
  readonly gone: (name: string) => string;
  readonly noPosition: (position: number, listed: number) => string;
  readonly first: (order: 'newest' | 'oldest', names: readonly string[], since: string) => string;
  readonly most: (
    kind: 'most' | 'least',
    labels: string,
    keys: readonly string[],
    count: number,
  ) => string;
  readonly noSuchLabel: (label: string, labels: string) => string;
  readonly groupCount: (label: string, groups: number, lead: string) => string;
  readonly groups: (labels: string, count: number) => string;
  readonly without: string;
  readonly more: (count: number) => string;
  readonly moreHint: string;
  readonly noMore: string;
  readonly rulesView: string;
  readonly alike: (count: number) => string;
  readonly columns: {
    readonly alert: string;
    readonly severity: string;
    readonly labels: string;
    readonly since: string;
    readonly summary: string;
    readonly state: string;
    readonly source: string;
    readonly count: string;
    readonly group: string;
    readonly matchers: string;
    readonly ends: string;
    readonly silenced: string;
    readonly by: string;
    readonly comment: string;
    readonly health: string;
    readonly error: string;
    readonly lastScrape: string;
    readonly rule: string;
    readonly expr: string;
    readonly series: string;
    readonly value: string;
    readonly at: string;
    readonly first: string;
    readonly min: string;
    readonly max: string;
    readonly last: string;
    /** When it began and when it was over. */
    readonly firstTime: string;
    readonly lastTime: string;
  };
  readonly silenceStates: Readonly<Record<string, string>>;
  readonly states: Readonly<Record<string, string>>;
  readonly silencedBy: (silence: string, comment: string, by: string, until: string) => string;
  readonly silencedUntil: (until: string, by: string, comment: string) => string;
  readonly inhibited: (count: number) => string;
  readonly receivers: string;
  readonly links: string;
  readonly moreLabels: (count: number) => string;

  /** Of the first look at an incident. */
  readonly inOrder: (hours: number) => string;
  readonly quietBefore: (hours: number) => string;
  readonly stillFires: string;
  readonly ended: (at: string) => string;
  /** A time that is known to some seconds only. */
  readonly about: (at: string) => string;
  /** It fired at the start of the period, since when is not known. */
  readonly already: (at: string) => string;
  /** `over`: when it had ended before. */
  readonly againSince: (at: string, times: number, over: string | undefined) => string;
  readonly firedTimes: (times: string) => string;
  readonly atLeast: (times: number) => string;
  /** Why times are told as "about". */
  readonly looks: (seconds: number) => string;
  /** `names`: those that began in the same second. */
  readonly firstToFire: (hours: number, names: readonly string[], told: string) => string;
  /** Of what was asked when it ended; `again`: since when it fires, or fired then, anew. */
  readonly endedAt: (name: string, at: string, again: string | undefined, isNow: boolean) => string;
  readonly notEnded: (name: string, since: string) => string;
  readonly lastEnded: (names: readonly string[], at: string, again: boolean) => string;
  readonly firesAgain: (names: readonly string[]) => string;
  readonly firstTime: (name: string, told: string) => string;
  readonly mostOften: (names: readonly string[], times: string) => string;
  readonly firedAt: (total: number, filter: string, at: string) => string;
  readonly whyFires: {
    readonly rule: (name: string, expr: string) => string;
    readonly measured: (name: string, value: string, at: string, condition: string) => string;
    readonly holds: (total: number) => string;
    readonly unmeasured: string;
    readonly waits: (seconds: number) => string;
    readonly none: (names: string) => string;
  };
  readonly endedUnknown: string;
  readonly affected: (label: string) => string;
  readonly downTargets: (down: number, all: number, names: string) => string;
  readonly next: string;
  readonly nextSteps: (of: {
    readonly alert?: string;
    readonly host?: string;
  }) => readonly string[];

  /** Of the pages that alerts link to. */
  readonly runbook: {
    readonly says: (alert: string, title: string) => string;
    readonly step: (step: number, of: number, alert: string) => string;
    readonly noStep: (step: number, of: number) => string;
    readonly none: (alerts: string) => string;
    readonly noAlert: (conditions: string) => string;
    /** The page cannot be read here. */
    readonly unread: (alert: string, link: string, reason: string) => string;
    readonly closed: string;
    readonly several: string;
    readonly goesOn: (link: string) => string;
    readonly empty: string;
  };

  readonly silences: (state: string, total: number, all: number, conditions: string) => string;
  readonly targets: (counts: {
    readonly total: number;
    readonly up: number;
    readonly down: number;
    readonly unknown: number;
    readonly conditions: string;
  }) => string;
  readonly noTarget: (conditions: string, all: number) => string;
  readonly rules: (total: number, all: number, conditions: string) => string;
  readonly sources: (ok: number, all: number) => string;
  readonly noSources: string;
  readonly series: (total: number) => string;
  readonly noSeries: string;
  /** Of a range. */
  readonly noSeriesIn: string;
  /** Of all series, the one with the highest value, or the lowest. */
  readonly extremeOf: (isHighest: boolean, name: string, value: string) => string;
  readonly scalar: (value: string) => string;
  /** One series over a time. */
  readonly went: (
    name: string,
    figures: Readonly<Record<'last' | 'min' | 'max' | 'lastAt' | 'maxAt', string>> & {
      /** The highest was reached after this and until `maxAt`. */
      readonly maxAfter?: string;
    },
  ) => string;
  /** What the figures of a chart are of: of one value a step, or lowest and highest of more. */
  readonly eachStep: (seconds: number) => string;
  readonly everySample: (seconds: number) => string;
  readonly eachBetween: (seconds: number, each: number) => string;
  /** There are series, but no number in them. */
  readonly noValues: (total: number) => string;
  readonly picture: (file: string) => string;
  readonly noPicture: (reason: string) => string;
  readonly firedMeanwhile: (total: number) => string;
  readonly stretch: (from: string, to: string | undefined) => string;
  readonly firingUnknown: string;
  readonly metricOf: (metric: string, hosts: string) => string;
  readonly noMetric: (metric: string, looked: string) => string;
  /** The range that was asked for ends in the future. */
  readonly toCome: string;
  /** What was wrong with a range, or is assumed in its place. */
  readonly rangeSaid: {
    readonly table: string;
    readonly future: (texts: string) => string;
    readonly reversed: (texts: string) => string;
    readonly crosses: (from: string, to: string) => string;
    readonly cut: (days: number) => string;
    readonly unread: (texts: string) => string;
    readonly step: (text: string, seconds: number) => string;
  };
  readonly noHost: (metric: string, host: string, near: string) => string;
  /** Words of a metric question that nothing of its answer would stand for. */
  readonly notAsked: (left: string) => string;
  readonly warning: (text: string) => string;

  /** `what`: alerts, silences, targets, rules, metrics. */
  readonly noSource: (what: string) => string;
  readonly noAnswer: (what: string) => string;
  readonly what: Readonly<Record<string, string>>;
  readonly missing: (failure: string) => string;
  readonly memberDown: (failure: string) => string;
  readonly failure: (source: SourceInfo, fault: SourceFault) => string;
  /** Every source refused what it was asked, for these reasons. */
  readonly refused: (failures: string) => string;
  /** Why a tool refused. */
  readonly toolRefusal: (error: ToolInputError) => string;
  readonly footer: (sources: string, query: string, time: string) => string;

  readonly understood: (parts: readonly string[]) => string;
  readonly task: Readonly<Record<string, string>>;
  readonly countedBy: (labels: string) => string;
  readonly filter: (conditions: string) => string;
  readonly expression: (expr: string) => string;
  readonly range: (from: string, to: string) => string;
  readonly instant: (at: string) => string;
  readonly started: (after: string | undefined, before: string | undefined) => string;
  readonly orders: Readonly<Record<string, string>>;
  readonly threshold: (op: 'above' | 'below' | 'at-least' | 'at-most', count: number) => string;
  readonly limit: (count: number) => string;
  readonly or: string;
  readonly not: string;
  readonly contains: (label: string | undefined, text: string) => string;
  readonly absent: (label: string) => string;
  readonly present: (label: string) => string;
  readonly anyLabel: string;
  readonly readAs: (typed: string, readAs: string) => string;
  readonly part: (typed: string, found: string) => string;
  readonly otherLabel: (typed: string, found: string) => string;
  readonly word: (typed: string, found: string) => string;
  readonly nothingExcluded: (typed: string) => string;
  readonly noSuchAlternative: (typed: string) => string;
  readonly ignored: (words: string) => string;
  readonly inherited: string;

  readonly reading: (what: string, sources: string) => string;
  readonly calling: (tool: string, query: string) => string;
  readonly noTool: (tool: string) => string;
  readonly called: (tool: string, failed: boolean) => string;
  readonly ago: (milliseconds: number) => string;
}
