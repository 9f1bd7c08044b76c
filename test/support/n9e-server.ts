import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Row = Readonly<Record<string, unknown>>;

/** What the server holds; change it at will. */
export interface N9eFacts {
  groups: { readonly id: number; readonly name: string }[];
  current: Row[];
  past: Row[];
  rules: Row[];
  targets: Row[];
  mutes: Row[];
  boards: Row[];
  /** Whether a POST of a mute is answered with its id, as newer versions do. */
  tellsMuteIds: boolean;
  /** Series by datasource, as a query answers them. */
  series: Record<number, readonly Row[]>;
  /** Tokens and whose they are. */
  users: Record<
    string,
    {
      readonly id: number;
      readonly username: string;
      readonly groups: number[];
      /** Busi groups that may be read only. */
      readonly readOnly?: readonly number[];
      /** Absent: what a Standard role has. */
      readonly operations?: readonly string[];
      readonly admin?: boolean;
    }
  >;
}

/**
 * Behaves as facts on n9e say (mutes: as its sources of 2025/26 have it, see docs/assistant.md), at its worst: 200 with `err` for a business error, plain text for others,
 * an empty 500 for a panic, the HTML of its pages for an unknown path, and event and rule lists that show
 * every group whatever was asked for.
 */
export class N9eServer {
  readonly facts: N9eFacts = {
    groups: [],
    current: [],
    past: [],
    rules: [],
    targets: [],
    mutes: [],
    boards: [],
    tellsMuteIds: true,
    series: {},
    users: {},
  };
  /** Paths with their query, as they came. */
  readonly requests: { readonly path: string; readonly token: string | undefined }[] = [];
  /** Answers the next request to a path that contains the key, once. */
  readonly faults = new Map<string, (response: ServerResponse) => void>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(): Promise<N9eServer> {
    const server = createServer();
    const n9e = new N9eServer(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return n9e;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const header = request.headers['x-user-token'];
    const token = typeof header === 'string' ? header : undefined;
    this.requests.push({ path: url.pathname + url.search, token });
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    for (const [part, fault] of this.faults) {
      if (!url.pathname.includes(part)) continue;
      this.faults.delete(part);
      fault(response);
      return;
    }
    const path = url.pathname.replace(/^\/api\/n9e/, '');
    const user = token === undefined ? undefined : this.facts.users[token];
    // Shipped so: whoever asks may query (AnonymousAccess.PromQuerier).
    if (path === '/query-instant-batch' || path === '/query-range-batch') {
      const { datasource_id: id } = JSON.parse(body) as { datasource_id: number };
      dat(response, [this.facts.series[id] ?? []]);
      return;
    }
    const mutes = /^\/busi-group\/(\d+)\/alert-mutes(\/preview|\/fields)?$/.exec(path);
    if (mutes !== null && request.method !== 'GET') {
      const [, group, what = ''] = mutes;
      // bgrw: the group of the path alone is looked at.
      if (user === undefined) plain(response, 401, 'unauthorized');
      else if (!mayWrite(user, Number(group))) plain(response, 403, 'forbidden');
      else this.mute(Number(group), what, JSON.parse(body) as Row, user.username, response);
      return;
    }
    const perm = /^\/busi-group\/(\d+)\/perm\/rw$/.exec(path);
    if (perm !== null && user !== undefined) {
      dat(response, mayWrite(user, Number(perm[1])));
      return;
    }
    if (path === '/self/perms' && user !== undefined) {
      dat(response, user.operations ?? ['/alert-mutes', '/alert-mutes/add', '/alert-mutes/put']);
      return;
    }
    const dats = this.dats(path, url.searchParams, user?.groups ?? []);
    if (dats === undefined) html(response);
    else if (user === undefined) plain(response, 401, 'unauthorized');
    else dat(response, path === '/self/profile' ? { ...user, roles: 'Standard' } : dats);
  }

  private mute(group: number, what: string, form: Row, by: string, response: ServerResponse): void {
    const { facts } = this;
    if (what === '/fields') {
      const { ids, fields } = form as unknown as { ids: number[]; fields: Row };
      facts.mutes = facts.mutes.map((one) =>
        ids.includes(one['id'] as number) ? { ...one, ...fields } : one,
      );
      dat(response, undefined);
      return;
    }
    const draft = { ...form, group_id: group, create_by: by };
    if (Number(form['etime']) <= Number(form['btime'])) {
      businessError(response, 'oops... etime <= btime');
    } else if (what === '/preview') {
      dat(
        response,
        facts.current.filter((event) => previews(draft, event)),
      );
    } else {
      const id = 1 + Math.max(0, ...facts.mutes.map((one) => Number(one['id'])));
      facts.mutes = [...facts.mutes, { ...draft, id }];
      dat(response, facts.tellsMuteIds ? id : undefined);
    }
  }

  private dats(path: string, query: URLSearchParams, groups: readonly number[]): unknown {
    const { facts } = this;
    switch (path) {
      case '/self/profile':
        return {};
      case '/busi-groups':
        // `all` is no right there: whoever says it gets the names of every group.
        return facts.groups.filter(({ id }) => query.get('all') === 'true' || groups.includes(id));
      case '/alert-cur-events/list':
        return paged(facts.current, query);
      case '/alert-his-events/list':
        return paged(facts.past, query);
      case '/busi-groups/alert-rules':
        return facts.rules;
      case '/busi-groups/alert-mutes':
        return facts.mutes;
      case '/busi-groups/boards':
        return facts.boards;
      case '/targets':
        return paged(facts.targets, query);
      default:
        return undefined;
    }
  }
}

function mayWrite(user: N9eFacts['users'][string], group: number): boolean {
  const isOwn = user.groups.includes(group) && user.readOnly?.includes(group) !== true;
  return user.admin === true || isOwn;
}

/** What the preview of a mute looks at; prod and cate are of no account later, in the engine. */
function previews(mute: Row, event: Row): boolean {
  if (event['group_id'] !== mute['group_id'] || event['rule_prod'] !== mute['prod']) return false;
  const severities = mute['severities'] as number[];
  if (severities.length > 0 && !severities.includes(event['severity'] as number)) return false;
  if (mute['prod'] !== 'host') {
    const ids = mute['datasource_ids'] as number[];
    const isAny = ids.length === 0 || ids.includes(0);
    if (event['cate'] !== mute['cate']) return false;
    if (!isAny && !ids.includes(event['datasource_id'] as number)) return false;
  }
  const tags = new Map(
    (event['tags'] as string[]).map((tag) => {
      const at = tag.indexOf('=');
      return [tag.slice(0, at), tag.slice(at + 1)];
    }),
  );
  // A tag that the event does not have fits no filter, not even != and !~.
  return (mute['tags'] as { key: string; func: string; value: string }[]).every(
    ({ key, func, value }) => {
      const own = tags.get(key);
      if (own === undefined) return false;
      if (func === '==') return own.trim() === value.trim();
      return func === 'in' && value.split(/\s+/).includes(own);
    },
  );
}

export function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

export function businessError(response: ServerResponse, err: string): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ err, request_id: 'r' }));
}

export function html(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end('<!doctype html><title>Nightingale</title>');
}

function dat(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ dat: value, err: '', request_id: 'r' }));
}

function paged(rows: readonly Row[], query: URLSearchParams): object {
  const [limit, page] = [Number(query.get('limit') ?? 20), Number(query.get('p') ?? 1)];
  return { list: rows.slice((page - 1) * limit, page * limit), total: rows.length };
}
