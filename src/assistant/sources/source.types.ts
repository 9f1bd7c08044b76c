import type { JsonObject } from '../../domain/a2a.js';
import type { SourceError } from './source-error.js';
import type { SourceInfo } from './source-info.js';

/** Rows of a source that may have more than are read at once. */
export interface Listed<T> extends ReadonlyArray<T> {
  /** Says how many were left out (a `cut`); absent: these are all. */
  readonly cut?: SourceError;
}

/**
 * One configured source. What it can do is told by the abilities it has. Every method throws a
 * SourceError when the source fails, and the signal's reason when that aborts.
 */
export interface Source extends SourceInfo {
  readonly alerts?: AlertSource;
  readonly silences?: SilenceSource;
  readonly silenceWrites?: SilenceWrites;
  /** Why this caller has none of those, where others have (see ToolFault). */
  readonly silenceRefusal?: 'no_mutes' | 'no_mute_right';
  readonly metrics?: MetricsSource;
  /** Of a source that has no metrics; one that has tells it there. */
  readonly inventory?: Inventory;
  readonly history?: EventHistory;
  readonly busiGroups?: BusiGroupSource;
  readonly dashboards?: DashboardSource;
  /** Of a source with several members: what is wrong with those that failed last. */
  readonly ailing?: () => readonly SourceError[];
  /** Asks for a cheap answer. Resolves to a short text such as `0.25.0`. */
  health(signal: AbortSignal): Promise<string>;
  /** Ends its connections. */
  close(): Promise<void>;
}

export interface AlertSource {
  /**
   * `router`: the alerts as they are routed to people, with silences applied. `rules`: as the rules
   * of a Prometheus see them, which knows pending ones, but no silences.
   */
  readonly view: 'router' | 'rules';
  /** Everything that is active now, suppressed ones too; no order. */
  list(signal: AbortSignal): Promise<Listed<Alert>>;
}

export interface SilenceSource {
  list(signal: AbortSignal): Promise<readonly Silence[]>;
  /** The routing groups; an alert may be in several. */
  groups(signal: AbortSignal): Promise<readonly AlertGroup[]>;
}

/**
 * Not bound to any signal: a write that was begun runs to its end, within the source's own time, so
 * that its outcome is known. `isUndone` of source-error.ts tells whether a failed one was surely not
 * done.
 */
export interface SilenceWrites {
  /** @returns the id of the new silence. */
  create(silence: NewSilence): Promise<string>;
  expire(id: string): Promise<void>;
  /** Whether this caller may end one that they see; absent: they may end all. */
  mayExpire?(id: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Of a source where a silence is more than its matchers: what it would be. What comes of it is kept
   * in the plan, and given back with the silence that is made.
   */
  scope?(matchers: Silence['matchers'], signal: AbortSignal): Promise<SilenceScope>;
  /** A silence that may have been made; absent: it is known by its author and comment. */
  find?(silence: NewSilence, signal: AbortSignal): Promise<MadeSilence | undefined>;
}

export type SilenceScope =
  /** Why there can be none of these matchers; for the user. */
  | { readonly refused: string }
  /** This caller may silence nothing of what fits. */
  | { readonly refused: 'no_mute_right'; readonly isForbidden: true }
  | {
      /** For `create`, which is given it unchanged. */
      readonly scope: JsonObject;
      /** For people: where it will hold. */
      readonly where: string;
      /** Nothing but where it holds bounds it. */
      readonly isBroad: boolean;
      /** What it would silence now, as the source itself tells. */
      readonly alerts: readonly Alert[];
    };

export interface MadeSilence {
  readonly id: string;
  readonly hasEnded: boolean;
}

export interface NewSilence {
  readonly matchers: Silence['matchers'];
  readonly startsAt: number;
  readonly endsAt: number;
  readonly createdBy: string;
  readonly comment: string;
  /** Of a source that has told one. */
  readonly scope?: JsonObject;
}

export interface Inventory {
  targets(signal: AbortSignal): Promise<Listed<Target>>;
  rules(signal: AbortSignal): Promise<readonly Rule[]>;
}

/** Alerts of the past, as a source keeps them. */
export interface EventHistory {
  /** Those that were triggered in that time, ended or not. */
  list(
    range: { readonly since: number; readonly until: number },
    signal: AbortSignal,
  ): Promise<Listed<PastAlert>>;
}

/** n9e's borders between teams; only those that may be seen. */
export interface BusiGroupSource {
  list(signal: AbortSignal): Promise<readonly BusiGroup[]>;
}

export interface BusiGroup {
  readonly id: number;
  readonly name: string;
}

export interface MetricsSource extends Inventory {
  /** `at` in epoch milliseconds; absent: now. */
  query(expr: string, at: number | undefined, signal: AbortSignal): Promise<QueryResult>;
  queryRange(expr: string, range: QueryRange, signal: AbortSignal): Promise<QueryResult>;
  /**
   * Names of the labels of the series that `match` selects, or the values of one of them. Absent: a
   * query has to find them.
   */
  labels?(ask: LabelsQuestion, signal: AbortSignal): Promise<readonly string[]>;
}

export interface LabelsQuestion {
  readonly label?: string | undefined;
  /** A selector. */
  readonly match: string;
  readonly since: number;
}

/** n9e's dashboards; only those that may be seen. */
export interface DashboardSource {
  list(signal: AbortSignal): Promise<readonly Dashboard[]>;
}

export interface Dashboard {
  readonly id: number;
  readonly name: string;
  readonly busiGroup: string;
  /** Separated by blanks; empty for none. */
  readonly tags: string;
}

/** Names and values as they came; made without a prototype, so any name may be looked up. */
export type LabelSet = Readonly<Record<string, string>>;

/** Times are epoch milliseconds, everywhere below. */
export interface Alert {
  readonly source: string;
  /** Same labels, same fingerprint; unique within a source. */
  readonly fingerprint: string;
  readonly labels: LabelSet;
  readonly annotations: LabelSet;
  /** `suppressed`: it fires, but a silence or an inhibition keeps it quiet. */
  readonly state: 'active' | 'suppressed' | 'pending';
  readonly startsAt: number;
  readonly silencedBy: readonly string[];
  readonly inhibitedBy: readonly string[];
  readonly receivers: readonly string[];
  readonly generatorUrl?: string;
}

export interface PastAlert extends Alert {
  readonly ended: boolean;
  /** Of this event; `startsAt` is the first of its kind. */
  readonly triggeredAt: number;
  readonly endedAt?: number;
}

export interface AlertGroup {
  readonly source: string;
  readonly labels: LabelSet;
  readonly receiver: string;
  readonly fingerprints: readonly string[];
}

export type MatchOp = '=' | '!=' | '=~' | '!~';

export interface Silence {
  readonly source: string;
  readonly id: string;
  /** Where people open it; absent where the config names no such place. */
  readonly url?: string;
  readonly state: 'active' | 'pending' | 'expired';
  readonly matchers: readonly {
    readonly name: string;
    readonly op: MatchOp;
    readonly value: string;
  }[];
  readonly createdBy: string;
  readonly comment: string;
  readonly startsAt: number;
  readonly endsAt: number;
}

export interface Target {
  readonly source: string;
  readonly labels: LabelSet;
  readonly health: 'up' | 'down' | 'unknown';
  readonly scrapeUrl: string;
  /** Empty when the last scrape worked. */
  readonly lastError: string;
  /** 0 when it was never scraped. */
  readonly lastScrape: number;
}

export interface Rule {
  readonly source: string;
  readonly group: string;
  readonly name: string;
  readonly type: 'alerting' | 'recording';
  readonly expr: string;
  /** Of alerting rules. */
  readonly state?: 'inactive' | 'pending' | 'firing';
  readonly forSeconds: number;
  readonly labels: LabelSet;
  readonly health: string;
  readonly lastError: string;
}

export interface QueryRange {
  readonly start: number;
  readonly end: number;
  readonly stepSeconds: number;
}

/** A value is kept as the text the source sent: nothing is rounded on the way. */
export interface QueryResult {
  readonly kind: 'vector' | 'matrix' | 'scalar' | 'string';
  readonly series: readonly {
    readonly labels: LabelSet;
    /** One sample for anything but a matrix. */
    readonly samples: readonly { readonly at: number; readonly value: string }[];
  }[];
  readonly warnings: readonly string[];
}
