import type { JsonObject, JsonValue } from '../../../src/domain/a2a.js';
import type { Operation } from './operations.js';
import { asText } from './text.js';

/** The params of a 1.0 operation as 0.3 spells them, and 0.3's documents as 1.0 spells them. */

const METHODS: Readonly<Partial<Record<Operation, string>>> = {
  SendMessage: 'message/send',
  SendStreamingMessage: 'message/stream',
  GetTask: 'tasks/get',
  CancelTask: 'tasks/cancel',
  SubscribeToTask: 'tasks/resubscribe',
  CreateTaskPushNotificationConfig: 'tasks/pushNotificationConfig/set',
  GetTaskPushNotificationConfig: 'tasks/pushNotificationConfig/get',
  ListTaskPushNotificationConfigs: 'tasks/pushNotificationConfig/list',
  DeleteTaskPushNotificationConfig: 'tasks/pushNotificationConfig/delete',
  GetExtendedAgentCard: 'agent/getAuthenticatedExtendedCard',
};

/** `tasks/list` for what 0.3 does not have. */
export function methodOf03(operation: Operation): string {
  return METHODS[operation] ?? 'tasks/list';
}

export function paramsOf03(operation: Operation, params: JsonObject): JsonObject {
  switch (operation) {
    case 'SendMessage':
    case 'SendStreamingMessage':
      return defined({
        ...params,
        message: isDocument(params['message']) ? message03(params['message']) : params['message'],
        configuration: isDocument(params['configuration'])
          ? configuration03(params['configuration'])
          : params['configuration'],
      });
    case 'CreateTaskPushNotificationConfig': {
      const { taskId, ...config } = params;
      return defined({ taskId, pushNotificationConfig: push03(config) });
    }
    case 'GetTaskPushNotificationConfig':
    case 'DeleteTaskPushNotificationConfig':
      return defined({ id: params['taskId'], pushNotificationConfigId: params['id'] });
    case 'ListTaskPushNotificationConfigs':
      return defined({ id: params['taskId'] });
    default:
      return params;
  }
}

function message03(message: JsonObject): JsonObject {
  const { role, parts, ...rest } = message;
  return defined({
    kind: 'message',
    ...rest,
    role: role === 'ROLE_USER' ? 'user' : role === 'ROLE_AGENT' ? 'agent' : role,
    parts: Array.isArray(parts) ? (parts as readonly JsonValue[]).map(part03) : parts,
  });
}

function part03(part: JsonValue): JsonValue {
  if (!isDocument(part)) return part;
  const { text, data, raw, url, mediaType, filename, ...rest } = part;
  const kinds = [text, data, raw ?? url].filter((content) => content !== undefined);
  if (kinds.length !== 1) return part;
  if (text !== undefined) return { kind: 'text', text, ...rest };
  if (data !== undefined) return { kind: 'data', data, ...rest };
  const file = defined({ bytes: raw, uri: url, mimeType: mediaType, name: filename });
  return { kind: 'file', file, ...rest };
}

function configuration03(configuration: JsonObject): JsonObject {
  const { returnImmediately, taskPushNotificationConfig: push, ...rest } = configuration;
  return defined({
    ...rest,
    blocking: typeof returnImmediately === 'boolean' ? !returnImmediately : returnImmediately,
    pushNotificationConfig: isDocument(push) ? push03(push) : push,
  });
}

function push03({ authentication, ...config }: JsonObject): JsonObject {
  if (!isDocument(authentication)) return config;
  const { scheme, ...rest } = authentication;
  return { ...config, authentication: { ...rest, schemes: scheme === undefined ? [] : [scheme] } };
}

const STATES: Readonly<Record<string, string>> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  rejected: 'TASK_STATE_REJECTED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
};

/** @throws Error for a document that is none of 0.3's kinds. */
export function eventOf03(document: JsonValue | undefined): JsonObject {
  if (!isDocument(document)) throw new Error(`no 0.3 document: ${JSON.stringify(document)}`);
  const { kind, ...rest } = document;
  if (kind === 'task') return { task: taskOf03(document) };
  if (kind === 'status-update') {
    return { statusUpdate: { ...rest, status: statusOf(rest['status']) } };
  }
  if (kind === 'artifact-update') {
    return { artifactUpdate: { ...rest, artifact: artifactOf(rest['artifact']) } };
  }
  throw new Error(`no 0.3 event: ${JSON.stringify(document)}`);
}

/** @throws Error for what is no 0.3 task. */
export function taskOf03(document: JsonValue | undefined): JsonObject {
  if (!isDocument(document) || document['kind'] !== 'task') {
    throw new Error(`no 0.3 task: ${JSON.stringify(document)}`);
  }
  const { kind: _kind, status, artifacts, history, ...rest } = document;
  return defined({
    ...rest,
    status: statusOf(status),
    artifacts: listOf(artifacts, artifactOf),
    history: listOf(history, messageOf),
  });
}

export function pushOf03(document: JsonValue | undefined): JsonObject {
  if (!isDocument(document) || !isDocument(document['pushNotificationConfig'])) {
    throw new Error(`no 0.3 push config: ${JSON.stringify(document)}`);
  }
  return { taskId: document['taskId'] ?? null, ...document['pushNotificationConfig'] };
}

function statusOf(status: JsonValue | undefined): JsonObject {
  if (!isDocument(status)) throw new Error(`no 0.3 status: ${JSON.stringify(status)}`);
  const { state, message, ...rest } = status;
  return defined({
    ...rest,
    state: STATES[asText(state)] ?? `not 0.3: ${asText(state)}`,
    message: message === undefined ? undefined : messageOf(message),
  });
}

function messageOf(message: JsonValue): JsonObject {
  if (!isDocument(message) || message['kind'] !== 'message') {
    throw new Error(`no 0.3 message: ${JSON.stringify(message)}`);
  }
  const { kind: _kind, role, parts, ...rest } = message;
  const roles: Readonly<Record<string, string>> = { user: 'ROLE_USER', agent: 'ROLE_AGENT' };
  return defined({
    ...rest,
    role: roles[asText(role)] ?? `not 0.3: ${asText(role)}`,
    parts: listOf(parts, partOf),
  });
}

function artifactOf(artifact: JsonValue | undefined): JsonObject {
  if (!isDocument(artifact)) throw new Error(`no 0.3 artifact: ${JSON.stringify(artifact)}`);
  return defined({ ...artifact, parts: listOf(artifact['parts'], partOf) });
}

function partOf(part: JsonValue): JsonObject {
  if (!isDocument(part)) throw new Error(`no 0.3 part: ${JSON.stringify(part)}`);
  const { kind, file, ...rest } = part;
  if (kind === 'text' || kind === 'data') return rest;
  if (kind !== 'file' || !isDocument(file)) throw new Error(`no 0.3 part: ${JSON.stringify(part)}`);
  const { bytes, uri, mimeType, name } = file;
  return defined({ ...rest, raw: bytes, url: uri, mediaType: mimeType, filename: name });
}

function listOf(
  list: JsonValue | undefined,
  read: (element: JsonValue) => JsonObject,
): JsonObject[] | undefined {
  if (list === undefined) return undefined;
  if (!Array.isArray(list)) throw new Error(`no list: ${JSON.stringify(list)}`);
  return (list as readonly JsonValue[]).map(read);
}

export function isDocument(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function defined(object: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined),
  );
}
