import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../src/domain/a2a.js';
import { type Operation, restRequest } from '../../conformance/support/operations.js';
import { methodOf03, paramsOf03 } from '../../conformance/support/v03.js';
import { McpWire } from '../../conformance/support/mcp-wire.js';

export const SURFACES = [
  'rest-1.0',
  'jsonrpc-1.0',
  'jsonrpc-0.3',
  'mcp-2025',
  'mcp-2026',
  'admin',
] as const;
export type Surface = (typeof SURFACES)[number];

/** Everything of somebody's that a request can name. */
export interface Ids {
  readonly task: string;
  readonly context: string;
  readonly file: string;
  readonly config: string;
  readonly taskPage: string;
  readonly contextPage: string;
  readonly idempotencyKey: string;
  readonly messageId: string;
  /** JSON-RPC id of an MCP call that is open. */
  readonly call: string;
  readonly source: string;
  /** Of the admin API. */
  readonly tenant: string;
  readonly user: string;
  readonly token: string;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One way to call one operation. */
export interface Row {
  readonly surface: Surface;
  readonly name: string;
  /** The operation of the product that it calls. */
  readonly covers: string;
  readonly request: (ids: Ids) => Request;
  /**
   * `theirs`: what it names must be the caller's, else it is missing. `own`: names are the caller's own to
   * give, so it works, apart from whoever else uses them. `tenant`: something that all users of a tenant
   * share. `none`: it names nothing.
   */
  readonly names: 'theirs' | 'own' | 'tenant' | 'none';
}

type Case = Pick<Row, 'name' | 'names'> & {
  readonly operation: Operation;
  readonly params: (ids: Ids) => JsonObject;
  readonly headers?: (ids: Ids) => Readonly<Record<string, string>>;
};

const HOOK = 'http://127.0.0.1:9/hook';
const message = (more: JsonObject): JsonObject => ({
  message: { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'instant' }], ...more },
});
const afterAnEvent = () => ({ 'last-event-id': '1-1' });

/** What can be sent along with a message; for sending and streaming alike. */
const SENDS: readonly Omit<Case, 'operation'>[] = [
  { name: 'to a task', names: 'theirs', params: ({ task }) => message({ taskId: task }) },
  {
    name: 'to a task in its context',
    names: 'theirs',
    params: ({ task, context }) => message({ taskId: task, contextId: context }),
  },
  {
    name: 'an approval',
    names: 'theirs',
    params: ({ task }) => message({ taskId: task, parts: [{ text: 'yes' }] }),
  },
  {
    name: 'about tasks (referenceTaskIds)',
    names: 'theirs',
    params: ({ task }) => message({ referenceTaskIds: [task] }),
  },
  { name: 'in a context', names: 'own', params: ({ context }) => message({ contextId: context }) },
  { name: 'with a messageId', names: 'own', params: ({ messageId }) => message({ messageId }) },
  {
    name: 'with an Idempotency-Key',
    names: 'own',
    params: () => message({}),
    headers: ({ idempotencyKey }) => ({ 'idempotency-key': idempotencyKey }),
  },
];

const config = (ids: Ids): JsonObject => ({ taskId: ids.task, id: ids.config });

const CASES: readonly Case[] = [
  ...SENDS.map((send): Case => ({ ...send, operation: 'SendMessage' })),
  ...SENDS.map((send): Case => ({ ...send, operation: 'SendStreamingMessage' })),
  { operation: 'GetTask', name: '', names: 'theirs', params: ({ task }) => ({ id: task }) },
  { operation: 'CancelTask', name: '', names: 'theirs', params: ({ task }) => ({ id: task }) },
  { operation: 'SubscribeToTask', name: '', names: 'theirs', params: ({ task }) => ({ id: task }) },
  {
    operation: 'SubscribeToTask',
    name: 'after an event',
    names: 'theirs',
    params: ({ task }) => ({ id: task }),
    headers: afterAnEvent,
  },
  { operation: 'ListTasks', name: '', names: 'none', params: () => ({ pageSize: 100 }) },
  {
    operation: 'ListTasks',
    name: 'of a context',
    names: 'theirs',
    params: ({ context }) => ({ contextId: context }),
  },
  {
    operation: 'ListTasks',
    name: 'from a pageToken',
    names: 'theirs',
    params: ({ taskPage }) => ({ pageSize: 1, pageToken: taskPage }),
  },
  {
    operation: 'CreateTaskPushNotificationConfig',
    name: '',
    names: 'theirs',
    params: ({ task }) => ({ taskId: task, url: HOOK }),
  },
  { operation: 'GetTaskPushNotificationConfig', name: '', names: 'theirs', params: config },
  {
    operation: 'ListTaskPushNotificationConfigs',
    name: '',
    names: 'theirs',
    params: ({ task }) => ({ taskId: task }),
  },
  { operation: 'DeleteTaskPushNotificationConfig', name: '', names: 'theirs', params: config },
  { operation: 'GetExtendedAgentCard', name: '', names: 'none', params: () => ({}) },
];

const ROUTE_OF: Readonly<Record<Operation, string>> = {
  SendMessage: 'POST message:send',
  SendStreamingMessage: 'POST message:stream',
  GetTask: 'GET tasks/:ref',
  ListTasks: 'GET tasks',
  CancelTask: 'POST tasks/:ref:cancel',
  SubscribeToTask: 'POST tasks/:ref:subscribe',
  CreateTaskPushNotificationConfig: 'POST tasks/:id/pushNotificationConfigs',
  GetTaskPushNotificationConfig: 'GET tasks/:id/pushNotificationConfigs/:config',
  ListTaskPushNotificationConfigs: 'GET tasks/:id/pushNotificationConfigs',
  DeleteTaskPushNotificationConfig: 'DELETE tasks/:id/pushNotificationConfigs/:config',
  GetExtendedAgentCard: 'GET extendedAgentCard',
};

/** What only the REST binding has. */
type RestCase = Pick<Row, 'name' | 'names'> & {
  readonly route: string;
  readonly path: (ids: Ids) => string;
  readonly headers?: () => Readonly<Record<string, string>>;
};

const REST: readonly RestCase[] = [
  {
    route: 'GET tasks/:ref:subscribe',
    name: 'SubscribeToTask by GET',
    names: 'theirs',
    path: ({ task }) => `tasks/${task}:subscribe`,
  },
  {
    route: 'GET tasks/:ref:subscribe',
    name: 'SubscribeToTask by GET after an event',
    names: 'theirs',
    path: ({ task }) => `tasks/${task}:subscribe`,
    headers: afterAnEvent,
  },
  {
    route: 'DELETE tasks/:id',
    name: 'DeleteTask',
    names: 'theirs',
    path: ({ task }) => `tasks/${task}`,
  },
  {
    route: 'GET tasks/:id/artifacts/:name',
    name: 'GetArtifactFile',
    names: 'theirs',
    path: ({ task, file }) => `tasks/${task}/artifacts/${file}`,
  },
  {
    route: 'GET contexts',
    name: 'ListContexts',
    names: 'none',
    path: () => 'contexts?pageSize=100',
  },
  {
    route: 'GET contexts',
    name: 'ListContexts from a pageToken',
    names: 'theirs',
    path: ({ contextPage }) => `contexts?pageSize=1&pageToken=${encodeURIComponent(contextPage)}`,
  },
  {
    route: 'GET contexts/:id',
    name: 'GetContext',
    names: 'theirs',
    path: ({ context }) => `contexts/${context}`,
  },
  {
    route: 'DELETE contexts/:id',
    name: 'CloseContext',
    names: 'theirs',
    path: ({ context }) => `contexts/${context}`,
  },
  {
    route: 'POST contexts/:ref:close',
    name: 'CloseContext by POST',
    names: 'theirs',
    path: ({ context }) => `contexts/${context}:close`,
  },
];

/** A path below /a2a, and the same below the caller's own tenant and the owner's. */
function onRest(
  route: string,
  row: Pick<Row, 'name' | 'names'>,
  request: (ids: Ids) => Request,
  below: { readonly own: string; readonly owners: string },
): Row[] {
  const [method = '', path = ''] = route.split(' ');
  const under =
    (tenant: string) =>
    (ids: Ids): Request => {
      const made = request(ids);
      return { ...made, path: made.path.replace('/a2a/', `/a2a/${tenant}/`) };
    };
  const surface = 'rest-1.0';
  const twin = { surface, covers: `${method} /a2a/:tenant/${path}` } as const;
  return [
    { ...row, surface, covers: `${method} /a2a/${path}`, request },
    { ...row, ...twin, name: `${row.name} below the own tenant`, request: under(below.own) },
    // What may name anything in its own space may not do so in another's.
    ...(below.own === below.owners
      ? []
      : [
          {
            ...row,
            ...twin,
            names: row.names === 'own' ? 'theirs' : row.names,
            name: `${row.name} below the owner’s tenant`,
            request: under(below.owners),
          } as const,
        ]),
  ];
}

/** A2A in all its bindings. */
export function a2aRows(below: { readonly own: string; readonly owners: string }): Row[] {
  const rows = CASES.flatMap((one): Row[] => {
    const { operation, names, params, headers } = one;
    const name = `${operation} ${one.name}`.trim();
    const more = (ids: Ids) => (headers === undefined ? {} : { headers: headers(ids) });
    const rpc = (path: string, method: string, spelt: (ids: Ids) => JsonObject) => (ids: Ids) => ({
      method: 'POST',
      path,
      body: { jsonrpc: '2.0', id: 1, method, params: spelt(ids) },
      ...more(ids),
    });
    const method03 = methodOf03(operation);
    return [
      ...onRest(
        ROUTE_OF[operation],
        { name, names },
        (ids) => ({ ...restRequest(operation, params(ids)), ...more(ids) }),
        below,
      ),
      {
        surface: 'jsonrpc-1.0',
        name,
        names,
        covers: operation,
        request: rpc('/a2a/v1', operation, params),
      },
      ...(method03 === 'tasks/list'
        ? []
        : [
            {
              surface: 'jsonrpc-0.3',
              name,
              names,
              covers: method03,
              request: rpc('/a2a', method03, (ids) => paramsOf03(operation, params(ids))),
            } as const,
          ]),
    ];
  });
  const own = REST.flatMap(({ route, path, headers, ...row }) => {
    const [method = ''] = route.split(' ');
    return onRest(
      route,
      row,
      (ids) => ({
        method,
        path: `/a2a/${path(ids)}`,
        ...(headers === undefined ? {} : { headers: headers() }),
      }),
      below,
    );
  });
  return [...rows, ...own];
}

interface Tool {
  readonly name: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly required?: readonly string[];
  };
}

/** What a tool cannot do without. */
const FILLER: JsonObject = { query: 'up' };

/** Arguments of the tools that take more than filters. */
const TOOL_CASES: Readonly<
  Record<
    string,
    readonly (Pick<Row, 'name' | 'names'> & { readonly args: (ids: Ids) => JsonObject })[]
  >
> = {
  n9e_assistant: [
    {
      name: 'in a chat',
      names: 'own',
      args: ({ context }) => ({ message: 'instant', chat_id: context }),
    },
    {
      name: 'going on in a chat',
      names: 'own',
      args: ({ context }) => ({ message: 'continue', chat_id: context }),
    },
  ],
  ask: [
    {
      name: 'in a context',
      names: 'own',
      args: ({ context }) => ({ message: 'instant', context_id: context }),
    },
  ],
  get_task: [{ name: '', names: 'theirs', args: ({ task }) => ({ task_id: task }) }],
  cancel_task: [{ name: '', names: 'theirs', args: ({ task }) => ({ task_id: task }) }],
  list_tasks: [
    { name: '', names: 'none', args: () => ({}) },
    { name: 'of a context', names: 'theirs', args: ({ context }) => ({ context_id: context }) },
    {
      name: 'from a page_token',
      names: 'theirs',
      args: ({ taskPage }) => ({ page_size: 1, page_token: taskPage }),
    },
  ],
  invoke: [
    {
      name: 'at a source',
      names: 'tenant',
      args: ({ source }) => ({ tool: 'list_alerts', arguments: { source } }),
    },
  ],
};

/** MCP in one era: each tool that a gateway shows, and what else a client can call. */
export function mcpRows(surface: 'mcp-2025' | 'mcp-2026', tools: readonly Tool[]): Row[] {
  const wire = new McpWire(surface, '', undefined, 0);
  const row = (
    name: string,
    names: Row['names'],
    covers: string,
    method: string,
    params: (ids: Ids) => JsonObject,
  ): Row => ({
    surface,
    name,
    names,
    covers,
    request: (ids) => {
      const [body, headers] = wire.request(method, params(ids));
      if (method.startsWith('notifications/')) delete (body as Record<string, unknown>)['id'];
      return { method: 'POST', path: '/mcp', body, headers };
    },
  });
  return [
    ...tools.flatMap(({ name, inputSchema }) => {
      const hasSource = inputSchema.properties?.['source'] !== undefined;
      const cases = TOOL_CASES[name] ?? [
        {
          name: hasSource ? 'at a source' : '',
          names: hasSource ? 'tenant' : 'none',
          args: ({ source }: Ids) => ({
            ...Object.fromEntries(
              (inputSchema.required ?? []).map((key) => [key, FILLER[key] ?? 'x']),
            ),
            ...(hasSource ? { source } : {}),
          }),
        } as const,
      ];
      return cases.map((one) =>
        row(`${name} ${one.name}`.trim(), one.names, `tool ${name}`, 'tools/call', (ids) => ({
          name,
          arguments: one.args(ids),
        })),
      );
    }),
    row('tools/list', 'none', 'tools/list', 'tools/list', () => ({})),
    row(
      'notifications/cancelled',
      'own',
      'notifications/cancelled',
      'notifications/cancelled',
      ({ call }) => ({ requestId: call }),
    ),
  ];
}

/** The admin API, for callers who may not use it. */
export const ADMIN_ROWS: readonly Row[] = (
  [
    ['GET', 'tenants', '', undefined],
    ['GET', 'tenants/:id', '', undefined],
    ['PUT', 'tenants/:id', '', {}],
    ['DELETE', 'tenants/:id', '', undefined],
    ['POST', 'tenants/:id', ':suspend', {}],
    ['POST', 'tenants/:id', ':resume', {}],
    ['POST', 'tenants/:id/users/:user', ':suspend', {}],
    ['POST', 'tenants/:id/users/:user', ':resume', {}],
    ['GET', 'tasks', '', undefined],
    ['GET', 'tenants/:id/tasks/:task', '', undefined],
    ['POST', 'tenants/:id/tasks/:task', ':cancel', {}],
    ['GET', 'tenants/:id/approvals', '', undefined],
    ['POST', 'tenants/:id/approvals/:ref', ':approve', undefined],
    ['POST', 'tenants/:id/approvals/:ref', ':refuse', undefined],
    ['GET', 'tenants/:id/usage', '', undefined],
    ['GET', 'audit', '', undefined],
    ['GET', 'tokens', '', undefined],
    ['GET', 'tokens/:token', '', undefined],
    ['POST', 'tokens', '', {}],
    ['POST', 'tokens/:token', ':revoke', {}],
    ['POST', 'tokens/:token', ':rotate', {}],
  ] as const
).map(([method, path, verb, body]): Row => {
  const route = path.replace(':token', ':id');
  return {
    surface: 'admin',
    name: `${method} ${path}${verb}`,
    covers: `${method} /admin/v1/${route}${verb}`,
    names: path.includes(':') ? 'theirs' : 'none',
    request: (ids) => ({
      method,
      path: `/admin/v1/${path.replace(':token', ids.token).replace(':id', ids.tenant).replace(':user', ids.user).replace(':task', ids.task)}${verb}`,
      ...(body === undefined
        ? {}
        : { body: path === 'tokens' ? { tenant: ids.tenant, user: ids.user } : body }),
    }),
  };
});
