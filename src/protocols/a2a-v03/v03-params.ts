import type { JsonObject, JsonValue } from '../../domain/a2a.js';
import { INT32_MAX, Params } from '../wire/params.js';

/** The methods of A2A 0.3 (its spec, section 3.5.6). */
export const V03_METHODS = [
  'message/send',
  'message/stream',
  'tasks/get',
  'tasks/cancel',
  'tasks/resubscribe',
  'tasks/pushNotificationConfig/set',
  'tasks/pushNotificationConfig/get',
  'tasks/pushNotificationConfig/list',
  'tasks/pushNotificationConfig/delete',
  'agent/getAuthenticatedExtendedCard',
] as const;
export type V03Method = (typeof V03_METHODS)[number];

/**
 * The params of a 0.3 request as the SDK's translation may have them: it takes the shape of its
 * input for granted (a wrong one ends as a TypeError, a wrong type is silently bent), and reads a
 * configuration without `blocking` as "do not wait", where every 0.3 server waits.
 * @throws InvalidParams naming every field whose shape is wrong; what the fields mean is checked
 * after the translation, once for both versions.
 */
export function readV03Params(method: V03Method, params: JsonValue | undefined): JsonObject {
  if (method === 'agent/getAuthenticatedExtendedCard' && params === undefined) return {};
  const given = Params.of(params);
  const document = params as JsonObject;
  if (method === 'tasks/pushNotificationConfig/set') {
    if (given.string('taskId') === undefined) given.fault('taskId', 'is required');
    const pushNotificationConfig = checkPushConfig(given);
    if (!given.has('pushNotificationConfig')) given.fault('pushNotificationConfig', 'is required');
    given.check();
    return { ...document, pushNotificationConfig: pushNotificationConfig ?? {} };
  }
  if (method !== 'message/send' && method !== 'message/stream') return document;
  given.document('metadata');
  checkMessage(given);
  const configuration = checkConfiguration(given);
  given.check();
  return configuration === undefined ? document : { ...document, configuration };
}

function checkMessage(params: Params): void {
  const message = params.nested('message');
  if (message === undefined) {
    if (!params.has('message')) params.fault('message', 'is required');
    return;
  }
  const role = message.string('role');
  if (role !== 'user') message.fault('role', 'must be user');
  if (message.string('messageId') === undefined) message.fault('messageId', 'is required');
  message.string('contextId');
  message.string('taskId');
  message.strings('extensions');
  message.strings('referenceTaskIds');
  message.document('metadata');
  const parts = message.objects('parts');
  if (!message.has('parts')) message.fault('parts', 'is required');
  parts?.forEach(checkPart);
}

function checkPart(part: Params): void {
  part.document('metadata');
  switch (part.string('kind')) {
    case 'text':
      if (part.string('text') === undefined) part.fault('text', 'is required');
      break;
    case 'data':
      if (part.document('data') === undefined) part.fault('data', 'is required');
      break;
    case 'file':
      checkFile(part);
      break;
    default:
      part.fault('kind', 'must be text, data or file');
  }
}

function checkFile(part: Params): void {
  const file = part.nested('file');
  const content = [file?.string('bytes'), file?.string('uri')];
  if (content.every((one) => one === undefined)) part.fault('file', 'must have bytes or uri');
  file?.string('name');
  file?.string('mimeType');
}

function checkConfiguration(params: Params): JsonObject | undefined {
  const given = params.nested('configuration');
  if (given === undefined) return undefined;
  const blocking = given.boolean('blocking') ?? true;
  given.integer('historyLength', 0, INT32_MAX);
  given.strings('acceptedOutputModes');
  const push = checkPushConfig(given);
  return {
    ...params.document('configuration'),
    blocking,
    ...(push === undefined ? {} : { pushNotificationConfig: push }),
  };
}

/** Of several schemes the SDK takes the first and warns on the console: the choice is made here. */
function checkPushConfig(params: Params): JsonObject | undefined {
  const given = params.nested('pushNotificationConfig');
  if (given === undefined) return undefined;
  given.string('id');
  if (given.string('url') === undefined) given.fault('url', 'is required');
  given.string('token');
  const authentication = given.nested('authentication');
  const schemes = authentication?.strings('schemes') ?? [];
  authentication?.string('credentials');
  const document = params.document('pushNotificationConfig');
  if (authentication === undefined) return document;
  const scheme = schemes.find((one) => one.toLowerCase() === 'bearer') ?? schemes[0];
  return {
    ...document,
    authentication: {
      ...given.document('authentication'),
      schemes: scheme === undefined ? [] : [scheme],
    },
  };
}
