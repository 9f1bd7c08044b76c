import type { StreamResponse } from './a2a.js';
import { linkFiles } from './file-ref.js';

/** The version of A2A that registered a webhook: its notifications come in that version's shape. */
export type WireVersion = '1.0' | '0.3';

/** A registered webhook with its secrets. Never logged, and never in an answer. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly version: WireVersion;
  /** Sent as X-A2A-Notification-Token. */
  readonly token?: string;
  /** Sent as `Authorization: <scheme> <credentials>`. */
  readonly authentication?: { readonly scheme: string; readonly credentials: string };
}

/** How a version of A2A writes a notification. */
export interface PushFormat {
  readonly contentType: string;
  /** True: every body is the whole task (0.3), never an update. */
  readonly wholeTask: boolean;
  encode(event: StreamResponse): string;
}

/**
 * The same with links in place of files, which are never inline in a notification.
 * @param publicUrl without one the links are relative to the gateway.
 */
export function withFileLinks(format: PushFormat, publicUrl = ''): PushFormat {
  return { ...format, encode: (event) => format.encode(linkFiles(event, publicUrl)) };
}

export type PushFormats = Readonly<Record<WireVersion, PushFormat>>;

/** DI token of the formats, which the protocols bring. */
export const PUSH_FORMATS = Symbol('PushFormats');
