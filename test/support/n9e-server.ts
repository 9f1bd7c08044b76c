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
  /** Series by datasource, as a query answers them. */
  series: Record<number, readonly Row[]>;
  /** Tokens and whose they are. */
  users: Record<
    string,
    { readonly id: number; readonly username: string; readonly groups: number[] }
  >;
}

/**
 * Behaves as facts on n9e say, at its worst: 200 with `err` for a business error, plain text for others,
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
    const dats = this.dats(path, url.searchParams, user?.groups ?? []);
    if (dats === undefined) html(response);
    else if (user === undefined) plain(response, 401, 'unauthorized');
    else dat(response, path === '/self/profile' ? { ...user, roles: 'Standard' } : dats);
  }

  private dats(path: string, query: URLSearchParams, groups: readonly number[]): unknown {
    const { facts } = this;
    switch (path) {
      case '/self/profile':
        return {};
      case '/busi-groups':
        return facts.groups.filter(({ id }) => groups.includes(id));
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
