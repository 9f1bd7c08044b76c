import { asDocument, asLabels, asList, asOptionalText, asText, asTime } from './shape.js';
import type { HttpSourceConfig } from '../../config/config.types.js';
import { healthOfMembers } from './member-health.js';
import { mergeAlerts, mergeGroups, mergeSilences } from './merge-members.js';
import type { SourceError } from './source-error.js';
import type { SourceHttp } from './source-http.js';
import { SourceMembers } from './source-members.js';
import type {
  Alert,
  AlertGroup,
  AlertSource,
  MatchOp,
  Silence,
  SilenceSource,
  SilenceWrites,
  Source,
} from './source.types.js';

/**
 * Alertmanager's HTTP API v2 (api/v2/openapi.yaml): alerts, groups, silences, status. Of the members of a
 * cluster all are asked, and what they know is put together.
 */
export class AlertmanagerSource implements Source {
  readonly type = 'alertmanager';
  readonly name: string;
  private readonly http: SourceMembers;

  constructor(private readonly config: HttpSourceConfig) {
    this.name = config.name;
    this.http = new SourceMembers({ name: config.name, type: this.type }, config);
  }

  readonly alerts: AlertSource = {
    view: 'router',
    list: async (signal) =>
      mergeAlerts(await this.all('/api/v2/alerts', (body) => this.readAlerts(body), signal)),
  };

  readonly silences: SilenceSource = {
    list: async (signal) =>
      mergeSilences(await this.all('/api/v2/silences', (body) => this.readSilences(body), signal)),
    groups: async (signal) =>
      mergeGroups(await this.all('/api/v2/alerts/groups', (body) => this.readGroups(body), signal)),
  };

  readonly silenceWrites: SilenceWrites = {
    create: ({ matchers, startsAt, endsAt, createdBy, comment }) =>
      this.http.write(
        {
          method: 'POST',
          path: '/api/v2/silences',
          body: {
            matchers: matchers.map(({ name, op, value }) => ({
              name,
              value,
              isRegex: op.includes('~'),
              isEqual: !op.startsWith('!'),
            })),
            startsAt: new Date(startsAt).toISOString(),
            endsAt: new Date(endsAt).toISOString(),
            createdBy,
            comment,
          },
        },
        (body) => asText(asDocument(body, 'answer')['silenceID'], 'silenceID'),
        isThere,
      ),
    expire: (id) =>
      this.http.write(
        { method: 'DELETE', path: `/api/v2/silence/${encodeURIComponent(id)}` },
        () => undefined,
        isThere,
      ),
  };

  health(signal: AbortSignal): Promise<string> {
    const read = (body: unknown): string => {
      const version = asDocument(asDocument(body, 'status')['versionInfo'], 'versionInfo');
      return asText(version['version'], 'version');
    };
    const ask = (http: SourceHttp, abort: AbortSignal): Promise<string> =>
      http.get('/api/v2/status', {}, read, abort);
    return healthOfMembers(this.http, ask, signal);
  }

  readonly ailing = (): readonly SourceError[] => this.http.ailing;

  close(): Promise<void> {
    return this.http.close();
  }

  /** Members tell each other of silences, but each has only the alerts that it was sent. */
  private all<T>(
    path: string,
    read: (body: unknown) => T,
    signal: AbortSignal,
  ): Promise<readonly T[]> {
    return this.http.all((http, abort) => http.get(path, {}, read, abort), signal);
  }

  /** A page of Alertmanager's own interface. */
  private silenceLink(id: string): { readonly url?: string } {
    const { webUrl } = this.config;
    return webUrl === undefined ? {} : { url: `${webUrl}/#/silences/${encodeURIComponent(id)}` };
  }

  private readAlerts(body: unknown): readonly Alert[] {
    return asList(body, 'alerts').map((item) => this.readAlert(item));
  }

  private readAlert(item: unknown): Alert {
    const alert = asDocument(item, 'alert');
    const status = asDocument(alert['status'], 'alert.status');
    const generatorUrl = asOptionalText(alert['generatorURL'], 'generatorURL');
    return {
      source: this.name,
      fingerprint: asText(alert['fingerprint'], 'fingerprint'),
      labels: asLabels(alert['labels'], 'labels'),
      annotations: asLabels(alert['annotations'], 'annotations'),
      // `unprocessed` is an alert of the last instants: it fires, nothing suppresses it yet.
      state: status['state'] === 'suppressed' ? 'suppressed' : 'active',
      startsAt: asTime(alert['startsAt'], 'startsAt'),
      silencedBy: texts(status['silencedBy'], 'silencedBy'),
      inhibitedBy: texts(status['inhibitedBy'], 'inhibitedBy'),
      receivers: asList(alert['receivers'], 'receivers').map((receiver) =>
        asText(asDocument(receiver, 'receiver')['name'], 'receiver.name'),
      ),
      ...(generatorUrl === '' ? {} : { generatorUrl }),
    };
  }

  private readSilences(body: unknown): readonly Silence[] {
    return asList(body, 'silences').map((item) => {
      const silence = asDocument(item, 'silence');
      const state = asText(asDocument(silence['status'], 'status')['state'], 'status.state');
      return {
        source: this.name,
        id: asText(silence['id'], 'id'),
        ...this.silenceLink(asText(silence['id'], 'id')),
        state: state === 'active' || state === 'pending' ? state : 'expired',
        matchers: asList(silence['matchers'], 'matchers').map(readMatcher),
        createdBy: asOptionalText(silence['createdBy'], 'createdBy'),
        comment: asOptionalText(silence['comment'], 'comment'),
        startsAt: asTime(silence['startsAt'], 'startsAt'),
        endsAt: asTime(silence['endsAt'], 'endsAt'),
      };
    });
  }

  private readGroups(body: unknown): readonly AlertGroup[] {
    return asList(body, 'groups').map((item) => {
      const group = asDocument(item, 'group');
      return {
        source: this.name,
        labels: asLabels(group['labels'], 'group.labels'),
        receiver: asText(asDocument(group['receiver'], 'receiver')['name'], 'receiver.name'),
        fingerprints: this.readAlerts(group['alerts']).map((alert) => alert.fingerprint),
      };
    });
  }
}

/** The cheapest answer of an Alertmanager. */
function isThere(http: SourceHttp, signal: AbortSignal): Promise<void> {
  return http.get('/api/v2/status', {}, () => undefined, signal);
}

function readMatcher(item: unknown): Silence['matchers'][number] {
  const matcher = asDocument(item, 'matcher');
  const regex = matcher['isRegex'] === true;
  // Absent before Alertmanager 0.22, where only equality existed.
  const equal = matcher['isEqual'] !== false;
  const op: MatchOp = regex ? (equal ? '=~' : '!~') : equal ? '=' : '!=';
  return {
    name: asText(matcher['name'], 'matcher.name'),
    op,
    value: asText(matcher['value'], 'matcher.value'),
  };
}

function texts(value: unknown, what: string): readonly string[] {
  return asList(value, what).map((item) => asText(item, what));
}
