import type { PushFormat } from '../../domain/webhook.js';

/** A notification of 1.0 is a StreamResponse (spec 4.3.3): the core's own document as it is. */
export const V1_PUSH_FORMAT: PushFormat = {
  contentType: 'application/a2a+json',
  wholeTask: false,
  encode: (event) => JSON.stringify(event),
};
