import type { JsonObject, JsonValue } from '../../../src/domain/a2a.js';

/** The operations of A2A, by their names in 1.0. */
export const OPERATIONS = [
  'SendMessage',
  'SendStreamingMessage',
  'GetTask',
  'ListTasks',
  'CancelTask',
  'SubscribeToTask',
  'CreateTaskPushNotificationConfig',
  'GetTaskPushNotificationConfig',
  'ListTaskPushNotificationConfigs',
  'DeleteTaskPushNotificationConfig',
  'GetExtendedAgentCard',
] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: JsonObject;
}

/** An operation over the REST binding (A2A section 11.3). */
export function restRequest(operation: Operation, params: JsonObject): HttpRequest {
  const { id, taskId, ...rest } = params;
  const task = `/a2a/tasks/${encodeURIComponent(nameOf(taskId ?? id))}`;
  const configs = `${task}/pushNotificationConfigs`;
  const config = `${configs}/${encodeURIComponent(nameOf(id))}`;
  switch (operation) {
    case 'SendMessage':
      return { method: 'POST', path: '/a2a/message:send', body: params };
    case 'SendStreamingMessage':
      return { method: 'POST', path: '/a2a/message:stream', body: params };
    case 'GetTask':
      return { method: 'GET', path: `${task}${queryOf(rest)}` };
    case 'ListTasks':
      return { method: 'GET', path: `/a2a/tasks${queryOf(params)}` };
    case 'CancelTask':
      return { method: 'POST', path: `${task}:cancel`, body: rest };
    case 'SubscribeToTask':
      return { method: 'POST', path: `${task}:subscribe`, body: rest };
    case 'CreateTaskPushNotificationConfig':
      return {
        method: 'POST',
        path: configs,
        body: { ...rest, ...(id === undefined ? {} : { id }) },
      };
    case 'GetTaskPushNotificationConfig':
      return { method: 'GET', path: `${config}${queryOf(rest)}` };
    case 'ListTaskPushNotificationConfigs':
      return { method: 'GET', path: `${configs}${queryOf(rest)}` };
    case 'DeleteTaskPushNotificationConfig':
      return { method: 'DELETE', path: `${config}${queryOf(rest)}` };
    case 'GetExtendedAgentCard':
      return { method: 'GET', path: `/a2a/extendedAgentCard${queryOf(rest)}` };
  }
}

function nameOf(id: JsonValue | undefined): string {
  return typeof id === 'string' ? id : JSON.stringify(id ?? null);
}

function queryOf(params: JsonObject): string {
  const pairs = Object.entries(params).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}
