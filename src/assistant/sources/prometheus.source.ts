import { asDocument, asList, asText, ShapeError } from './shape.js';
import { readAlerts, readQueryResult, readRules, readTargets } from './prometheus-documents.js';
import type { HttpSourceConfig } from '../../config/config.types.js';
import { healthOfMembers } from './member-health.js';
import { SourceMembers } from './source-members.js';
import type { SourceError } from './source-error.js';
import type { AlertSource, MetricsSource, QueryResult, Source } from './source.types.js';

/** Prometheus' HTTP API v1: alerts, rules, targets, query, query_range. */
export class PrometheusSource implements Source {
  readonly type = 'prometheus';
  readonly name: string;
  private readonly http: SourceMembers;

  constructor(config: HttpSourceConfig) {
    this.name = config.name;
    this.http = new SourceMembers({ name: config.name, type: this.type }, config);
  }

  readonly alerts: AlertSource = {
    view: 'rules',
    list: (signal) => this.get('/alerts', {}, (data) => readAlerts(data, this.name), signal),
  };

  readonly metrics: MetricsSource = {
    targets: (signal) =>
      this.get('/targets', { state: 'active' }, (data) => readTargets(data, this.name), signal),
    rules: (signal) => this.get('/rules', {}, (data) => readRules(data, this.name), signal),
    query: (expr, at, signal) =>
      this.query(
        '/query',
        { query: expr, ...(at === undefined ? {} : { time: seconds(at) }) },
        signal,
      ),
    labels: ({ label, match, since }, signal) =>
      this.get(
        label === undefined ? '/labels' : `/label/${encodeURIComponent(label)}/values`,
        { 'match[]': match, start: seconds(since) },
        (data) => asList(data, 'data').map((item) => asText(item, 'label')),
        signal,
      ),
    queryRange: (expr, range, signal) =>
      this.query(
        '/query_range',
        {
          query: expr,
          start: seconds(range.start),
          end: seconds(range.end),
          step: String(range.stepSeconds),
        },
        signal,
      ),
  };

  /** Not /status/buildinfo: Thanos, Mimir and VictoriaMetrics all answer a query. */
  health(signal: AbortSignal): Promise<string> {
    return healthOfMembers(
      this.http,
      async (http, abort) => {
        await http.get('/api/v1/query', { query: '1' }, () => undefined, abort);
        return 'answers queries';
      },
      signal,
    );
  }

  readonly ailing = (): readonly SourceError[] => this.http.ailing;

  close(): Promise<void> {
    return this.http.close();
  }

  private query(
    path: string,
    params: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<QueryResult> {
    return this.get(path, params, readQueryResult, signal);
  }

  private get<T>(
    path: string,
    params: Readonly<Record<string, string>>,
    read: (data: unknown, warnings: readonly string[]) => T,
    signal: AbortSignal,
  ): Promise<T> {
    const unwrap = (body: unknown): T => {
      const envelope = asDocument(body, 'answer');
      if (envelope['status'] !== 'success') throw new ShapeError('status is not "success"');
      const warnings = asList(envelope['warnings'], 'warnings').map((w) => asText(w, 'warning'));
      return read(envelope['data'], warnings);
    };
    return this.http.get(`/api/v1${path}`, params, unwrap, signal);
  }
}

function seconds(time: number): string {
  return (time / 1000).toFixed(3);
}
