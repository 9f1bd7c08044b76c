import type { JsonValue, Message, Part } from '../../domain/a2a.js';
import { DomainError } from '../../domain/errors.js';
import type { WireVersion } from '../../domain/webhook.js';
import type { Submission } from '../../tasks/task.types.js';
import { InvalidParams } from '../wire/invalid-params.js';
import { INT32_MAX, type Params } from '../wire/params.js';
import { OutputModes } from './output-modes.js';
import { readWebhook, type WebhookRequest } from './push-request.js';
import type { TaskView } from './task-view.js';

/** A SendMessageRequest (spec 3.2.1) that has passed every check of the edge. */
export interface SendRequest {
  readonly submission: Submission;
  readonly view: TaskView;
  readonly returnImmediately: boolean;
  /** The inline `configuration.taskPushNotificationConfig`. */
  readonly webhook: WebhookRequest | undefined;
}

const CONTENT_KEYS = ['text', 'data', 'raw', 'url'] as const;
const MAX_LIST = 64;
const NO_TEXT = 'must have text that is not blank';

/**
 * @param idBytes longest task, context and message id, in UTF-8 bytes.
 * @throws InvalidParams naming every wrong field; DomainError CONTENT_TYPE_NOT_SUPPORTED naming the
 * first part that is neither text nor an `action_param`.
 */
export function readSendRequest(
  params: Params,
  version: WireVersion,
  idBytes: number,
): SendRequest {
  const metadata = params.document('metadata');
  const message = readMessage(params, idBytes);
  const configuration = readConfiguration(params, version, idBytes);
  params.check();
  message.parts.forEach(requireUnderstood);
  if (!message.parts.some((part) => part.text?.trim())) {
    throw new InvalidParams([{ field: 'message.parts', description: NO_TEXT }]);
  }
  return {
    submission: { message, ...(metadata === undefined ? {} : { metadata }) },
    view: configuration.view,
    returnImmediately: configuration.returnImmediately,
    webhook: configuration.webhook,
  };
}

function readConfiguration(
  params: Params,
  version: WireVersion,
  idBytes: number,
): {
  view: TaskView;
  returnImmediately: boolean;
  webhook: WebhookRequest | undefined;
} {
  const given = params.nested('configuration');
  const webhook = given?.nested('taskPushNotificationConfig');
  return {
    view: {
      historyLength: given?.integer('historyLength', 0, INT32_MAX),
      outputModes: OutputModes.of(given?.strings('acceptedOutputModes')),
    },
    returnImmediately: given?.boolean('returnImmediately') ?? false,
    webhook: webhook && readWebhook(webhook, version, idBytes),
  };
}

function readMessage(params: Params, idBytes: number): Message {
  const given = params.nested('message');
  if (given === undefined) {
    if (!params.has('message')) params.fault('message', 'is required');
    return { messageId: '', role: 'ROLE_USER', parts: [] };
  }
  const messageId = given.requiredId('messageId', idBytes);
  const role = given.string('role');
  if (role !== 'ROLE_USER') given.fault('role', 'must be ROLE_USER');
  const contextId = given.id('contextId', idBytes);
  const taskId = given.id('taskId', idBytes);
  const metadata = given.document('metadata');
  const extensions = boundedList(given, 'extensions', idBytes);
  const referenceTaskIds = boundedList(given, 'referenceTaskIds', idBytes);
  return {
    messageId,
    role: 'ROLE_USER',
    parts: readParts(given),
    ...(contextId === undefined ? {} : { contextId }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(extensions === undefined ? {} : { extensions }),
    ...(referenceTaskIds === undefined ? {} : { referenceTaskIds }),
  };
}

function boundedList(given: Params, key: string, bytes: number): readonly string[] | undefined {
  const list = given.strings(key);
  if (list === undefined || list.length === 0) return undefined;
  if (list.length > MAX_LIST) given.fault(key, `must not have more than ${MAX_LIST} entries`);
  if (list.some((entry) => entry.trim() === '' || Buffer.byteLength(entry) > bytes)) {
    given.fault(key, `must have entries of 1 to ${bytes} bytes that are not blank`);
  }
  return list;
}

function readParts(message: Params): readonly Part[] {
  const before = message.faults;
  const given = message.objects('parts');
  if (given === undefined) {
    if (!message.has('parts')) message.fault('parts', 'is required');
    return [];
  }
  const parts = given.map(readPart);
  if (message.faults > before) return parts;
  const blank = parts.every((part) => part.text !== undefined && part.text.trim() === '');
  if (parts.length === 0) message.fault('parts', 'must not be empty');
  else if (blank) message.fault('parts', NO_TEXT);
  return parts;
}

function readPart(given: Params): Part {
  const keys = CONTENT_KEYS.filter((key) => given.has(key));
  // ProtoJSON: null is a value of `data`, and only there.
  if (keys.length === 0 && given.names().includes('data')) return { data: null };
  const [key] = keys;
  if (key === undefined || keys.length > 1) {
    const fault = key === undefined ? 'must have one of' : 'must have only one of';
    given.faultHere(`${fault} text, data, raw and url`);
    return { data: null };
  }
  const content = key === 'data' ? given.raw(key) : given.string(key);
  const metadata = given.document('metadata');
  const mediaType = given.string('mediaType');
  const filename = given.string('filename');
  return {
    [key]: content ?? '',
    ...(metadata === undefined ? {} : { metadata }),
    ...(mediaType === undefined ? {} : { mediaType }),
    ...(filename === undefined ? {} : { filename }),
  };
}

/** Text, and data that carries n9e's `action_param`. */
function requireUnderstood(part: Part, index: number): void {
  if (part.text !== undefined || isActionParam(part.data)) return;
  const kind = CONTENT_KEYS.find((key) => part[key] !== undefined) ?? 'data';
  throw new DomainError(
    'CONTENT_TYPE_NOT_SUPPORTED',
    `message.parts[${index}] is a ${kind} part; only text, and data with action_param, is understood`,
    { metadata: { part: `message.parts[${index}]` } },
  );
}

function isActionParam(data: JsonValue | undefined): boolean {
  return typeof data === 'object' && data !== null && Object.hasOwn(data, 'action_param');
}
