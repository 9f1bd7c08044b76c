import type { PostedAlert } from '../../support/alertmanager.js';

const NAMES = [
  'ConsumerLagGrowing',
  'CertExpiresSoon',
  'PodCrashLooping',
  'DiskPressureHigh',
  'ReplicationBehind',
  'LatencyBudgetBurn',
  'QueueBacklogHigh',
  'HeapNearlyFull',
  'ProbeFailing',
  'ThreadPoolExhausted',
  'CacheHitRateLow',
  'BackupMissing',
  'ClockSkewLarge',
  'DnsLookupSlow',
  'ConnPoolSaturated',
  'IngressErrorsHigh',
  'NodeUnreachable',
  'JobRunsTooLong',
  'SpotCapacityLow',
  'TokenRefreshFails',
  'IndexRebuildStuck',
  'LeaderFlapping',
];

// No value belongs to two labels: a phrasing that gives the value alone has one right answer.
const VALUES = {
  severity: ['critical', 'critical', 'warning', 'warning', 'info'],
  env: ['prod', 'prod', 'staging', 'canary'],
  team: ['payments', 'identity', 'logistics', 'billing', 'fraud', 'search'],
  region: ['eu-west-1', 'ap-south-1', 'us-east-2', 'cn-north-4'],
  app: ['cart-api', 'ledger', 'geo-index', 'mailer', 'thumbnailer', 'auth-proxy'],
  namespace: ['shop-core', 'ml-serving', 'edge-gw', 'data-lake'],
  group: ['retail', 'wholesale', 'mobility', 'fintech'],
} as const;

/** Minutes since the start; none near 30, 60 or 120, which the phrasings ask about. */
const AGES = [4, 11, 19, 23, 38, 47, 52, 71, 88, 104, 140, 200, 320, 610, 900, 1300];

/** What each alert's runbook says. */
export const PAGE_STEPS = [
  'Look at the graphs of the service',
  'Restart the worker that hangs',
  'Call the owner of the team',
] as const;

/** The labels that every alert of a set has. */
export interface SetLabels extends Record<string, string> {
  readonly alertname: string;
  readonly severity: string;
  readonly env: string;
  readonly team: string;
  readonly region: string;
  readonly app: string;
  readonly namespace: string;
  readonly group: string;
  readonly instance: string;
}

export interface SetAlert {
  readonly labels: SetLabels;
  readonly ageMinutes: number;
}

/** A seeded set of alerts, and the choices that phrasings make of it. */
export class World {
  readonly alerts: readonly SetAlert[];
  /** Of the alerts of this team, all are silenced. */
  readonly silencedTeam: string;
  /** A host that no alert names. */
  readonly quietHost: string;
  /** What the exporter says of `batch_jobs_stuck`, by app. */
  readonly stuck: Readonly<Record<string, number>>;

  constructor(private readonly random: () => number) {
    const names = this.shuffled(NAMES).slice(0, 14 + this.below(5));
    this.alerts = names.map((alertname, index) => ({
      labels: { alertname, ...this.labels(), instance: this.host(index) },
      ageMinutes: this.one(AGES),
    }));
    this.silencedTeam = this.one(this.alerts).labels.team;
    this.quietHost = `cache-${70 + this.below(20)}`;
    this.stuck = { ledger: 2 + this.below(300), mailer: 2 + this.below(300) };
  }

  /** The alerts as Alertmanager takes them, started by their age before `now`; `pages`: of runbooks. */
  posted(now: number, pages: string): PostedAlert[] {
    const second = Math.floor(now / 1_000) * 1_000;
    return this.alerts.map(({ labels, ageMinutes }) => ({
      labels,
      annotations: {
        summary: 'a condition of this test',
        runbook_url: `${pages}/${labels.alertname}`,
      },
      startsAt: new Date(second - ageMinutes * 60_000),
      endsAt: new Date(second + 4 * 3_600_000),
    }));
  }

  /** The labels of some alert that fits, or of any when none does. */
  some(fits: (alert: SetAlert) => boolean = () => true): SetLabels {
    const fitting = this.alerts.filter(fits);
    return this.one(fitting.length === 0 ? this.alerts : fitting).labels;
  }

  /** The labels of some alert that shares the values of `names` with another one. */
  shared(...names: readonly (keyof typeof VALUES)[]): SetLabels {
    return this.some(
      (alert) =>
        this.alerts.filter((other) => names.every((n) => other.labels[n] === alert.labels[n]))
          .length > 1,
    );
  }

  private labels(): Record<keyof typeof VALUES, string> {
    return {
      severity: this.one(VALUES.severity),
      env: this.one(VALUES.env),
      team: this.one(VALUES.team),
      region: this.one(VALUES.region),
      app: this.one(VALUES.app),
      namespace: this.one(VALUES.namespace),
      group: this.one(VALUES.group),
    };
  }

  private host(index: number): string {
    return this.random() < 0.5
      ? `10.${20 + index}.${this.below(200)}.${1 + this.below(200)}:9100`
      : `${this.one(['db', 'web', 'mq'])}-${10 + index}`;
  }

  private shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, at: this.random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ value }) => value);
  }

  private one<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  private below(limit: number): number {
    return Math.floor(this.random() * limit);
  }
}
