import type {
  Alert,
  AlertGroup,
  LabelSet,
  Rule,
  Silence,
  Source,
  Target,
} from '../sources/source.types.js';
import type { SourceError } from '../sources/source-error.js';
import type { Gathered, TenantSources } from '../sources/tenant-sources.js';

export interface AlertReading extends Gathered<readonly Alert[]> {
  /** `rules`: read from the rules of Prometheus, because no alert router answered or none exists. */
  readonly view: 'router' | 'rules';
}

/** What is read of the sources: whole documents by their kind, and `queries` of any other kind. */
export type ReadKind =
  'alerts' | 'pending' | 'silences' | 'groups' | 'targets' | 'rules' | 'queries';

/** Alerts of Prometheus that no router has. */
export interface Unrouted {
  readonly alerts: readonly Alert[];
  /** Who was asked for them. */
  readonly rules: Gathered<unknown>;
}

/**
 * Reads the tenant's sources, each document at most once: within a turn every tool sees the same
 * facts, so two numbers of one answer cannot contradict each other.
 */
export class SourceReads {
  private readonly done = new Map<string, Promise<unknown>>();
  private readonly lacks = new Map<ReadKind, Map<string, SourceError>>();

  constructor(readonly sources: TenantSources) {}

  /** What fires. Of `router` sources if there is a living one, else of `rules` sources. */
  alerts(signal: AbortSignal): Promise<AlertReading> {
    return this.once('alerts', async () => {
      const routers = await this.alertsOf('router', signal);
      if (routers.answers.length > 0) return { ...routers, view: 'router' as const };
      const rules = await this.ruleAlerts(signal);
      const firing = rules.answers.map((answer) => ({
        ...answer,
        value: answer.value.filter((alert) => alert.state !== 'pending'),
      }));
      return {
        view: rules.answers.length > 0 ? ('rules' as const) : ('router' as const),
        answers: firing,
        failures: [...routers.failures, ...rules.failures],
      };
    });
  }

  /** Alerts that wait for the `for` time of their rule; only Prometheus knows them. */
  pending(signal: AbortSignal): Promise<AlertReading> {
    return this.once('pending', async () => {
      const rules = await this.ruleAlerts(signal);
      const answers = rules.answers.map((answer) => ({
        ...answer,
        value: answer.value.filter((alert) => alert.state === 'pending'),
      }));
      return { view: 'rules' as const, answers, failures: rules.failures };
    });
  }

  /**
   * What Prometheus fires and no alert router that answered has; undefined where that cannot be told.
   * A router may have more labels of an alert, or fewer: what contradicts it is another alert.
   */
  async unrouted(signal: AbortSignal): Promise<Unrouted | undefined> {
    const [routed, rules] = await Promise.all([this.alerts(signal), this.ruleAlerts(signal)]);
    if (routed.view !== 'router' || routed.answers.length === 0) return undefined;
    const known = routed.answers.flatMap(({ value }) => value);
    const alerts = rules.answers
      .flatMap(({ value }) => value)
      .filter(({ state }) => state !== 'pending')
      .filter(({ labels }) => !known.some((one) => isSame(labels, one.labels)));
    return { alerts, rules };
  }

  private ruleAlerts(signal: AbortSignal): Promise<Gathered<readonly Alert[]>> {
    return this.once('rule alerts', () => this.alertsOf('rules', signal));
  }

  silences(signal: AbortSignal): Promise<Gathered<readonly Silence[]>> {
    return this.once('silences', () =>
      this.ask(
        (source) => source.silences,
        (ability, abort) => ability.list(abort),
        signal,
      ),
    );
  }

  groups(signal: AbortSignal): Promise<Gathered<readonly AlertGroup[]>> {
    return this.once('groups', () =>
      this.ask(
        (source) => source.silences,
        (ability, abort) => ability.groups(abort),
        signal,
      ),
    );
  }

  targets(signal: AbortSignal): Promise<Gathered<readonly Target[]>> {
    return this.once('targets', () =>
      this.ask(
        (source) => source.metrics ?? source.inventory,
        (ability, abort) => ability.targets(abort),
        signal,
      ),
    );
  }

  rules(signal: AbortSignal): Promise<Gathered<readonly Rule[]>> {
    return this.once('rules', () =>
      this.ask(
        (source) => source.metrics ?? source.inventory,
        (ability, abort) => ability.rules(abort),
        signal,
      ),
    );
  }

  /** What did not answer so far, of these kinds. */
  failuresOf(kinds: readonly ReadKind[]): readonly SourceError[] {
    const found = kinds.flatMap((kind) => [...(this.lacks.get(kind) ?? [])]);
    return [...new Map(found).values()];
  }

  /** Asks every source that has the ability. Not kept: for calls that differ each time. */
  async gatherFrom<A, T>(
    ability: (source: Source) => A | undefined,
    ask: (ability: A, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Gathered<T>> {
    const gathered = await this.ask(ability, ask, signal);
    this.note('queries', gathered.failures);
    return gathered;
  }

  private note(kind: ReadKind, failures: Gathered<unknown>['failures']): void {
    const known = this.lacks.get(kind) ?? new Map<string, SourceError>();
    for (const { source, error } of failures) known.set(source.name, error);
    this.lacks.set(kind, known);
  }

  private ask<A, T>(
    ability: (source: Source) => A | undefined,
    ask: (ability: A, signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
  ): Promise<Gathered<T>> {
    const able = this.sources.all.filter((source) => ability(source) !== undefined);
    return this.sources.gather(able, (source, abort) => ask(ability(source) as A, abort), signal);
  }

  private alertsOf(
    view: 'router' | 'rules',
    signal: AbortSignal,
  ): Promise<Gathered<readonly Alert[]>> {
    return this.ask(
      (source) => (source.alerts?.view === view ? source.alerts : undefined),
      (ability, abort) => ability.list(abort),
      signal,
    );
  }

  private once<T extends Pick<Gathered<unknown>, 'failures'>>(
    key: ReadKind | 'rule alerts',
    read: () => Promise<T>,
  ): Promise<T> {
    const known = this.done.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const reading = read().then((done) => {
      if (key !== 'rule alerts') this.note(key, done.failures);
      return done;
    });
    this.done.set(key, reading);
    return reading;
  }
}

function isSame(labels: LabelSet, others: LabelSet): boolean {
  return (
    labels['alertname'] === others['alertname'] &&
    Object.entries(labels).every(([name, value]) => (others[name] ?? value) === value)
  );
}
