import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../src/domain/a2a.js';
import { type A2aCell, A2A, MCP } from '../support/cells.js';
import { McpWire, TOOL } from '../support/mcp-wire.js';
import { OPERATIONS, type Operation } from '../support/operations.js';
import { sendParams, Wire } from '../support/wire.js';

/** A request that is fine as it stands. */
export interface Template {
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

/** What the requests may speak of. */
export interface Known {
  readonly parked: string;
  readonly done: string;
  readonly contextId: string;
  readonly file: string;
}

function paramsOf(operation: Operation, { parked, done, contextId }: Known): JsonObject {
  switch (operation) {
    case 'SendMessage':
    case 'SendStreamingMessage':
      return sendParams('instant', {
        messageId: randomUUID(),
        contextId: `fuzz-${randomUUID()}`,
        metadata: { lang: 'en', page: { title: 'x' }, timezone: 'UTC' },
        message: { referenceTaskIds: [done], extensions: ['urn:x'], metadata: { a: 1 } },
        configuration: {
          acceptedOutputModes: ['text'],
          historyLength: 1,
          returnImmediately: false,
        },
      });
    case 'GetTask':
      return { id: done, historyLength: 1 };
    case 'ListTasks':
      return { contextId, pageSize: 2, status: 'TASK_STATE_COMPLETED', includeArtifacts: true };
    case 'CancelTask':
      return { id: done };
    case 'SubscribeToTask':
      return { id: parked };
    case 'CreateTaskPushNotificationConfig':
      return {
        taskId: parked,
        id: 'fuzz',
        url: 'http://127.0.0.1:9/hook',
        token: 't',
        authentication: { scheme: 'Bearer', credentials: 'c' },
      };
    case 'GetTaskPushNotificationConfig':
    case 'DeleteTaskPushNotificationConfig':
      return { taskId: parked, id: 'fuzz' };
    case 'ListTaskPushNotificationConfigs':
      return { taskId: parked, pageSize: 2 };
    case 'GetExtendedAgentCard':
      return {};
  }
}

function a2a(cell: A2aCell, known: Known): Template[] {
  const wire = new Wire(cell, '', undefined, 0);
  return OPERATIONS.map((operation) => {
    const { method, path, body } = wire.request(operation, paramsOf(operation, known));
    const stream = operation === 'SendStreamingMessage' || operation === 'SubscribeToTask';
    return {
      name: `${cell} ${operation}`,
      method,
      target: path,
      headers: stream ? { accept: 'text/event-stream' } : {},
      ...(body === undefined ? {} : { body }),
    };
  });
}

function mcp(): Template[] {
  return MCP.flatMap((cell) => {
    const wire = new McpWire(cell, '', undefined, 0);
    const calls: readonly (readonly [string, JsonObject])[] = [
      [
        'initialize',
        {
          protocolVersion: '2025-11-25',
          capabilities: {},
          clientInfo: { name: 'f', version: '1' },
        },
      ],
      ['server/discover', {}],
      ['ping', {}],
      ['tools/list', { cursor: 'x' }],
      ['tools/call', { name: TOOL, arguments: { message: 'instant', chat_id: randomUUID() } }],
      ['tools/call', { name: TOOL, arguments: { message: 'steps' }, _meta: { progressToken: 1 } }],
      ['notifications/cancelled', { requestId: 1, reason: 'x' }],
      ['subscriptions/listen', {}],
    ];
    return calls.map(([method, params]) => {
      const [body, headers] = wire.request(method, params);
      return { name: `${cell} ${method}`, method: 'POST', target: '/mcp', headers, body };
    });
  });
}

function rest({ done, contextId, file }: Known): Template[] {
  const get = (target: string): Template => ({
    name: `GET ${target}`,
    method: 'GET',
    target,
    headers: {},
  });
  return [
    get('/.well-known/agent-card.json'),
    get('/.well-known/agent.json'),
    get('/.well-known/jwks.json'),
    get('/a2a'),
    get('/'),
    get('/a2a/acme/tasks?pageSize=1'),
    get(`/a2a/tasks/${done}/artifacts/${file}`),
    get('/a2a/contexts?pageSize=1'),
    get(`/a2a/contexts/${contextId}`),
    { name: 'delete a task', method: 'DELETE', target: `/a2a/tasks/${randomUUID()}`, headers: {} },
    {
      name: 'delete a context',
      method: 'DELETE',
      target: `/a2a/contexts/${randomUUID()}`,
      headers: {},
    },
    {
      name: 'close a context',
      method: 'POST',
      target: `/a2a/contexts/${randomUUID()}:close`,
      headers: {},
    },
    { name: 'REST of 0.3', method: 'POST', target: '/a2a/v1/message:send', headers: {}, body: {} },
    { name: 'below /mcp', method: 'POST', target: '/mcp/sse', headers: {}, body: {} },
  ];
}

/** Of the public listener. */
export function publicTemplates(known: Known): readonly Template[] {
  return [...A2A.flatMap((cell) => a2a(cell, known)), ...mcp(), ...rest(known)];
}

/** Every path of the admin API. `token`: the id of one that may be ended. */
export function adminTemplates(known: Pick<Known, 'done'>, token: string): readonly Template[] {
  const of = (method: string, path: string, body?: JsonObject): Template => ({
    name: `admin ${method} ${path}`,
    method,
    target: `/admin/v1${path}`,
    headers: {},
    ...(body === undefined ? {} : { body }),
  });
  const tenant = {
    ...{ profile: 'strict', takeover: 'fail', contextConcurrency: 'queue' },
    assistant: { backend: 'builtin' },
    sources: [{ type: 'demo', name: 'demo' }],
    writes: { create_silence: { policy: 'ask-caller', within: { matchers: ['team="a"'] } } },
    limits: { activePerUser: 8, requestsPerMinutePerUser: 600, toolCallsPerDayPerTenant: 100 },
    mcp: { toolsets: ['assistant', 'direct'] },
  };
  return [
    of('GET', '/tenants'),
    of('GET', '/tenants/fuzzed'),
    of('POST', '/tenants/fuzzed:suspend', { reason: 'x' }),
    of('POST', '/tenants/fuzzed:resume', {}),
    of('POST', '/tenants/fuzzed/users/bob:suspend', { reason: 'x' }),
    of('POST', '/tenants/fuzzed/users/bob:resume', {}),
    of('GET', '/tenants/acme/usage?from=2026-11-01&to=2026-11-30&user=ann'),
    of('GET', `/tenants/acme/tasks/${known.done}`),
    of('POST', `/tenants/acme/tasks/${randomUUID()}:cancel`, {}),
    of('GET', '/tokens?tenant=fuzzed'),
    of('POST', '/tokens', {
      ...{ tenant: 'fuzzed', user: 'bob', label: 'l', scopes: ['a2a', 'mcp'] },
      ...{ expires: '2030-01-01T00:00:00Z', addresses: ['127.0.0.1', '10.0.0.0/8'] },
    }),
    of('GET', `/tokens/${token}`),
    of('POST', `/tokens/${token}:rotate`, {}),
    of('POST', `/tokens/${randomUUID()}:revoke`, {}),
    of('GET', '/tasks?tenant=acme&user=ann'),
    of('GET', '/audit?tenant=acme&since=2026-11-01T00:00:00Z&actor=a&action=task.send&pageSize=5'),
    // A tenant that is there is not replaced unseen, so each is deleted for the next one.
    ...['p', 'q', 'r'].flatMap((id) => [
      of('PUT', `/tenants/fuzz-${id}`, tenant),
      of('DELETE', `/tenants/fuzz-${id}`),
    ]),
  ];
}

/** Of the management listener. */
export const MANAGEMENT_TEMPLATES: readonly Template[] = ['/livez', '/readyz', '/metrics', '/'].map(
  (target) => ({ name: `management ${target}`, method: 'GET', target, headers: {} }),
);
