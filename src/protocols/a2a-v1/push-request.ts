import type { Webhook, WireVersion } from '../../domain/webhook.js';
import type { ShownWebhook } from '../../tasks/push-config.service.js';
import type { Params } from '../wire/params.js';

/** A webhook as a request describes it; its id may be left to the server. */
export type WebhookRequest = Omit<Webhook, 'id'> & { readonly id: string | undefined };

export interface PushConfigList {
  readonly configs: readonly ShownWebhook[];
  readonly nextPageToken: string;
}

const TOKEN_BYTES = 1024;
const CREDENTIALS_BYTES = 8192;
const PAGE_TOKEN_BYTES = 1024;
/** What a header may hold as it is; a line end would begin another header. */
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
/** RFC 9110 section 5.6.2. */
const SCHEME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/;

/**
 * The fields of a TaskPushNotificationConfig (proto). Faults never repeat a value: it may be a secret.
 * Where it leads is checked later, by the URL guard.
 */
export function readWebhook(params: Params, version: WireVersion, idBytes: number): WebhookRequest {
  const id = params.id('id', idBytes);
  const url = params.string('url');
  if (url === undefined || url === '') params.fault('url', 'is required');
  const token = headerText(params, 'token', TOKEN_BYTES);
  const authentication = readAuthentication(params);
  return {
    id,
    url: url ?? '',
    version,
    ...(token === undefined ? {} : { token }),
    ...(authentication === undefined ? {} : { authentication }),
  };
}

/**
 * A scheme without credentials would be sent without any, and nobody would notice: it is refused.
 */
function readAuthentication(params: Params): Webhook['authentication'] {
  const given = params.nested('authentication');
  if (given === undefined) return undefined;
  const scheme = given.string('scheme');
  const credentials = headerText(given, 'credentials', CREDENTIALS_BYTES);
  const named = scheme !== undefined && scheme !== '';
  if (!named && credentials === undefined) return undefined;
  if (!named || !SCHEME.test(scheme)) given.fault('scheme', 'must be one scheme, e.g. Bearer');
  if (credentials === undefined && !isFaulty(given, 'credentials')) {
    given.fault('credentials', 'are required with a scheme: they are sent as they are');
  }
  return { scheme: scheme ?? '', credentials: credentials ?? '' };
}

function headerText(params: Params, key: string, bytes: number): string | undefined {
  const text = params.string(key);
  if (text === undefined || text === '') return undefined;
  if (text.length <= bytes && HEADER_TEXT.test(text)) return text;
  params.fault(key, `must be at most ${bytes} characters of printable ASCII`);
  return undefined;
}

/** There, and so already found wrong. */
function isFaulty(params: Params, key: string): boolean {
  const value = params.raw(key);
  return value !== undefined && value !== '';
}

/** A page of a task's few webhooks, after the id that the page before ended with. */
export function readPushPage(
  params: Params,
  most: number,
): (all: readonly ShownWebhook[]) => PushConfigList {
  const size = params.integer('pageSize', 1, most) ?? most;
  const token = params.id('pageToken', PAGE_TOKEN_BYTES);
  const after = token === undefined ? undefined : Buffer.from(token, 'base64url').toString();
  return (all) => {
    const rest = all.filter(({ id }) => after === undefined || id > after);
    const configs = rest.slice(0, size);
    const last = configs.at(-1);
    const more = last !== undefined && rest.length > configs.length;
    return { configs, nextPageToken: more ? Buffer.from(last.id).toString('base64url') : '' };
  };
}
