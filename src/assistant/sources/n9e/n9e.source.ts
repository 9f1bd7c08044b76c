import type { N9eSourceConfig } from '../../../config/config.types.js';
import type { MuteRights } from '../../../domain/call-context.js';
import { asDocument, asList, type Document } from '../shape.js';
import { SourceError } from '../source-error.js';
import { SourceMembers } from '../source-members.js';
import { readSeriesList } from '../prometheus-documents.js';
import type {
  AlertSource,
  BusiGroup,
  Dashboard,
  EventHistory,
  Inventory,
  Listed,
  MetricsSource,
  QueryResult,
  SilenceSource,
  SilenceWrites,
  Source,
} from '../source.types.js';
import { N9eApi, type Pages } from './n9e-api.js';
import { N9eMutes } from './n9e-mutes.js';
import {
  groupOf,
  readAlert,
  readDashboard,
  readGroup,
  readMute,
  readPastAlert,
  readRule,
  readTarget,
} from './n9e-documents.js';

/** For so long the names of the groups are believed. */
const GROUPS_MS = 60_000;

/**
 * Nightingale. It does not keep groups apart by itself: its lists of events and rules show every group
 * to everybody. So each answer is filtered here, by the busi groups that the tenant's config names and,
 * for a user of n9e, that this user has; what names no group is dropped. Metrics are asked only of the
 * datasources that the config names, which it vouches for as a whole.
 */
export class N9eSource implements Source {
  readonly type = 'n9e';
  readonly name: string;
  private readonly api: N9eApi;
  private readonly http: SourceMembers;
  private groups: { readonly at: number; readonly list: Promise<readonly BusiGroup[]> } | undefined;

  constructor(
    private readonly config: N9eSourceConfig,
    /** Absent: all that the config names; else only those of them that are also in here. */
    private readonly only?: ReadonlySet<number>,
    /** Of a user of n9e: where they may change mutes. */
    mayMute?: MuteRights,
    private readonly parent?: N9eSource,
    private readonly now: () => number = Date.now,
  ) {
    this.name = config.name;
    this.http = parent?.http ?? new SourceMembers({ name: config.name, type: this.type }, config);
    this.api = new N9eApi(this, this.http);
    if (config.datasources.length > 0) this.metrics = this.metricsOf(config.datasources);
    // It is done with our rights: for a user of n9e only where that n9e has said that they may.
    const muted = only === undefined ? undefined : mutedIn(config, mayMute);
    if (config.mutes && muted !== undefined && muted.size === 0) {
      this.silenceRefusal = mayMute === undefined ? 'no_mutes' : 'no_mute_right';
    } else if (config.mutes) {
      this.silenceWrites = new N9eMutes({
        source: this,
        api: this.api,
        groups: async (signal) =>
          (await this.allowed(signal)).filter(({ id }) => muted?.has(id) ?? true),
        events: (signal) => this.ofGroups('/alert-cur-events/list', {}, signal),
        now,
      });
    }
  }

  readonly metrics?: MetricsSource;
  /** Only where the config says so. */
  readonly silenceWrites?: SilenceWrites;
  readonly silenceRefusal?: NonNullable<Source['silenceRefusal']>;

  readonly alerts: AlertSource = {
    view: 'router',
    list: async (signal) => {
      const events = await this.ofGroups('/alert-cur-events/list', {}, signal);
      return mapped(events, (event) => readAlert(event, this.name));
    },
  };

  readonly silences: SilenceSource = {
    list: async (signal) => {
      const groups = await this.allowed(signal);
      if (groups.length === 0) return [];
      const gids = groups.map(({ id }) => id).join(',');
      const mutes = await this.api.get('/busi-groups/alert-mutes', { gids }, listOf, signal);
      return mutes.filter(isIn(groups)).map((mute) => readMute(mute, this.name, this.now()));
    },
    groups: () => Promise.resolve([]),
  };

  readonly inventory: Inventory = {
    targets: async (signal) => {
      const groups = await this.allowed(signal);
      if (groups.length === 0) return [];
      const ids = new Set(groups.map(({ id }) => id));
      const gids = [...ids].join(',');
      const pages = await this.api.pages('/targets', { gids }, signal);
      const ours = pages.rows.filter((target) =>
        asList(target['group_ids'], 'group_ids').some((id) => ids.has(Number(id))),
      );
      return mapped(this.listed(ours, [{ ...pages, ours: ours.length }]), (target) =>
        readTarget(withoutForeign(target, ids), this.name),
      );
    },
    rules: async (signal) => {
      const groups = await this.allowed(signal);
      if (groups.length === 0) return [];
      const gids = groups.map(({ id }) => id).join(',');
      const rules = await this.api.get('/busi-groups/alert-rules', { gids }, listOf, signal);
      return rules
        .filter(isIn(groups))
        .map((rule) => readRule(rule, this.name, nameOf(groups, groupOf(rule))));
    },
  };

  readonly history: EventHistory = {
    list: async ({ since, until }, signal) => {
      const range = { stime: seconds(since), etime: seconds(until) };
      const events = await this.ofGroups('/alert-his-events/list', range, signal);
      return mapped(events, (event) => readPastAlert(event, this.name));
    },
  };

  readonly busiGroups = {
    list: (signal: AbortSignal): Promise<readonly BusiGroup[]> => this.allowed(signal),
  };

  readonly dashboards = {
    list: async (signal: AbortSignal): Promise<readonly Dashboard[]> => {
      const groups = await this.allowed(signal);
      if (groups.length === 0) return [];
      const gids = groups.map(({ id }) => id).join(',');
      const boards = await this.api.get('/busi-groups/boards', { gids }, listOf, signal);
      return boards
        .filter(isIn(groups))
        .map((board) => readDashboard(board, nameOf(groups, groupOf(board))));
    },
  };

  /** The same for a user who has these groups; it shares the connections of this one. */
  narrowedTo(groups: readonly number[], mayMute?: MuteRights): N9eSource {
    return new N9eSource(this.config, new Set(groups), mayMute, this, this.now);
  }

  async health(signal: AbortSignal): Promise<string> {
    const groups = await this.allowed(signal);
    return `${String(groups.length)} busi groups`;
  }

  readonly ailing = (): readonly SourceError[] => this.http.ailing;

  close(): Promise<void> {
    return this.http.close();
  }

  /** Events of the allowed groups, asked for group by group and looked at once more. */
  private async ofGroups(
    path: string,
    params: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Listed<Document>> {
    const groups = await this.allowed(signal);
    const seen = new Map<unknown, Document>();
    const parts: (Pages & { readonly ours: number })[] = [];
    for (const { id } of groups) {
      const pages = await this.api.pages(path, { ...params, bgid: String(id) }, signal);
      parts.push({ ...pages, ours: pages.rows.filter(isIn([{ id }])).length });
      for (const event of pages.rows.filter(isIn(groups))) seen.set(event['id'], event);
    }
    return this.listed([...seen.values()], parts);
  }

  /** Says what was left out; how much that is only where nothing of other groups was counted in. */
  private listed(
    rows: readonly Document[],
    parts: readonly (Pages & { readonly ours: number })[],
  ): Listed<Document> {
    if (!parts.some(({ isCut }) => isCut)) return rows;
    const read = rows.length;
    const total = parts.reduce((sum, part) => sum + part.total, 0);
    const isKnown = total > read && parts.every(({ ours, rows: { length } }) => ours === length);
    const fault = { kind: 'cut' as const, read, ...(isKnown ? { total } : {}) };
    return Object.assign([...rows], { cut: new SourceError(this, fault) });
  }

  /** The groups that may be seen, of those that exist. */
  private async allowed(signal: AbortSignal): Promise<readonly BusiGroup[]> {
    const { only, config } = this;
    const all = await (this.parent ?? this).allGroups();
    signal.throwIfAborted();
    return all.filter(
      ({ id, name }) =>
        (config.busiGroups.includes(id) || config.busiGroups.includes(name)) &&
        (only?.has(id) ?? true),
    );
  }

  /** Concurrent reads share one question, which therefore no single one of them ends. */
  private allGroups(): Promise<readonly BusiGroup[]> {
    const known = this.groups;
    if (known !== undefined && this.now() - known.at <= GROUPS_MS) return known.list;
    const never = new AbortController().signal;
    const list = this.api
      .get('/busi-groups', { limit: '5000', all: 'true' }, listOf, never)
      .then((items) => items.map(readGroup));
    this.groups = { at: this.now(), list };
    // The next read asks again.
    list.catch(() => {
      this.groups = undefined;
    });
    return list;
  }

  private metricsOf(datasources: readonly number[]): MetricsSource {
    const query = async (
      path: string,
      ask: object,
      kind: 'vector' | 'matrix',
      signal: AbortSignal,
    ): Promise<QueryResult> => {
      // A user who has none of the groups has none of their metrics either.
      if (this.only !== undefined && (await this.allowed(signal)).length === 0) {
        throw new SourceError(this, { kind: 'refused', text: 'no busi group of yours is here' });
      }
      const answers = await Promise.all(
        datasources.map((id) =>
          this.api.ask(path, { datasource_id: id, queries: [ask] }, readBatch, signal),
        ),
      );
      return { kind, series: answers.flat(), warnings: [] };
    };
    return {
      ...this.inventory,
      query: (expr, at, signal) =>
        query(
          '/query-instant-batch',
          { query: expr, time: secondsOf(at ?? this.now()) },
          'vector',
          signal,
        ),
      queryRange: (expr, { start, end, stepSeconds }, signal) =>
        query(
          '/query-range-batch',
          { query: expr, start: secondsOf(start), end: secondsOf(end), step: stepSeconds },
          'matrix',
          signal,
        ),
    };
  }
}

/** Ids are those of one n9e: what another one says of its groups says nothing here. */
function mutedIn(
  { url, peers = [] }: N9eSourceConfig,
  rights: MuteRights | undefined,
): ReadonlySet<number> {
  const isHere = [url, ...peers].some((one) => one.replace(/\/+$/, '') === rights?.at);
  return new Set(isHere ? rights?.groups : []);
}

function listOf(dat: unknown): readonly Document[] {
  return asList(dat, 'dat').map((item) => asDocument(item, 'item'));
}

/** One answer a query, and we send one. */
function readBatch(dat: unknown): QueryResult['series'] {
  return asList(dat, 'dat').flatMap((one) => readSeriesList(one));
}

function mapped<A, B>(rows: Listed<A>, read: (row: A) => B): Listed<B> {
  const { cut } = rows;
  return cut === undefined ? rows.map(read) : Object.assign(rows.map(read), { cut });
}

function isIn(groups: readonly Pick<BusiGroup, 'id'>[]): (item: Document) => boolean {
  const ids = new Set(groups.map(({ id }) => id));
  return (item) => ids.has(groupOf(item));
}

/** A target may be in several groups; those that are not ours are not named. */
function withoutForeign(target: Document, ids: ReadonlySet<number>): Document {
  const groups = asList(target['group_objs'], 'group_objs').filter((one) => {
    const { id } = (typeof one === 'object' && one !== null ? one : {}) as Document;
    return typeof id === 'number' && ids.has(id);
  });
  return { ...target, group_objs: groups };
}

function nameOf(groups: readonly BusiGroup[], id: number): string {
  return groups.find((group) => group.id === id)?.name ?? '';
}

function secondsOf(time: number): number {
  return Math.floor(time / 1000);
}

function seconds(time: number): string {
  return String(secondsOf(time));
}
