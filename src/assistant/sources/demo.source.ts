import { DEMO_ALERTS, DEMO_RULES, DEMO_SILENCE, DEMO_TARGETS } from './demo-data.js';
import { DEMO_METRICS, demoSeries } from './demo-metrics.js';
import { fingerprintOf } from './fingerprint.js';
import { asLabels } from './shape.js';
import { SourceError } from './source-error.js';
import type {
  Alert,
  AlertSource,
  MetricsSource,
  QueryResult,
  Rule,
  SilenceSource,
  Source,
} from './source.types.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/**
 * Built-in facts for a first look without any monitoring. Deterministic: every instance answers the
 * same within an hour, since ages count from the start of the hour. Whoever shows its answers MUST
 * mark them as demo data.
 */
export class DemoSource implements Source {
  readonly type = 'demo';

  constructor(
    readonly name: string,
    private readonly now: () => number = Date.now,
  ) {}

  readonly alerts: AlertSource = {
    view: 'router',
    list: (signal) => this.answer(signal, () => DEMO_ALERTS.map((demo) => this.alertOf(demo))),
  };

  readonly silences: SilenceSource = {
    list: (signal) =>
      this.answer(signal, () => [
        {
          source: this.name,
          id: DEMO_SILENCE.id,
          state: 'active' as const,
          matchers: DEMO_SILENCE.matchers,
          createdBy: DEMO_SILENCE.createdBy,
          comment: DEMO_SILENCE.comment,
          startsAt: this.anchor() - DEMO_SILENCE.ageMinutes * MINUTE,
          endsAt: this.anchor() + DEMO_SILENCE.endsInMinutes * MINUTE,
        },
      ]),
    groups: (signal) =>
      this.answer(signal, () =>
        ['prod', 'staging'].map((busigroup) => ({
          source: this.name,
          labels: asLabels({ busigroup }, 'labels'),
          receiver: 'demo',
          fingerprints: DEMO_ALERTS.filter((demo) => demo.labels['busigroup'] === busigroup).map(
            (demo) => fingerprintOf(demo.labels),
          ),
        })),
      ),
  };

  readonly metrics: MetricsSource = {
    targets: (signal) =>
      this.answer(signal, () =>
        DEMO_TARGETS.map(({ job, instance, up }) => ({
          source: this.name,
          labels: asLabels({ job, instance }, 'labels'),
          health: up ? ('up' as const) : ('down' as const),
          scrapeUrl: `http://${instance}/metrics`,
          lastError: up ? '' : 'connection refused',
          lastScrape: this.now(),
        })),
      ),
    rules: (signal) => this.answer(signal, () => DEMO_RULES.map((rule) => this.ruleOf(rule))),
    query: (expr, at, signal) =>
      this.answer(signal, () => this.evaluate(expr, [at ?? this.now()], 'vector')),
    queryRange: (expr, range, signal) =>
      this.answer(signal, () => {
        const times: number[] = [];
        for (let at = range.start; at <= range.end; at += range.stepSeconds * 1000) times.push(at);
        return this.evaluate(expr, times, 'matrix');
      }),
  };

  health(signal: AbortSignal): Promise<string> {
    return this.answer(signal, () => 'built-in demo data');
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private anchor(): number {
    return Math.floor(this.now() / HOUR) * HOUR;
  }

  private answer<T>(signal: AbortSignal, make: () => T): Promise<T> {
    return new Promise((resolve) => {
      signal.throwIfAborted();
      resolve(make());
    });
  }

  private alertOf(demo: (typeof DEMO_ALERTS)[number]): Alert {
    return {
      source: this.name,
      fingerprint: fingerprintOf(demo.labels),
      labels: asLabels(demo.labels, 'labels'),
      annotations: asLabels(demo.annotations, 'annotations'),
      state: demo.silence === undefined ? 'active' : 'suppressed',
      startsAt: this.anchor() - demo.ageMinutes * MINUTE,
      silencedBy: demo.silence === undefined ? [] : [demo.silence],
      inhibitedBy: [],
      receivers: ['demo'],
    };
  }

  private ruleOf(rule: (typeof DEMO_RULES)[number]): Rule {
    const firing = DEMO_ALERTS.some((demo) => demo.labels['alertname'] === rule.name);
    return {
      source: this.name,
      group: 'demo',
      name: rule.name,
      type: 'alerting',
      expr: rule.expr,
      state: firing ? 'firing' : 'inactive',
      forSeconds: 300,
      labels: asLabels({ severity: rule.severity }, 'labels'),
      health: 'ok',
      lastError: '',
    };
  }

  private evaluate(expr: string, times: readonly number[], kind: 'vector' | 'matrix'): QueryResult {
    const series = demoSeries(expr, this.anchor());
    if (series === undefined) {
      throw new SourceError(this, {
        kind: 'refused',
        text: `the demo data answers only selectors of ${DEMO_METRICS.join(', ')}, with labels`,
      });
    }
    return {
      kind,
      series: series.map(({ labels, valueAt }) => ({
        labels: asLabels(labels, 'labels'),
        samples: times.map((at) => ({ at, value: valueAt(at) })),
      })),
      warnings: [],
    };
  }
}
