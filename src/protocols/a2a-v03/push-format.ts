import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server';
import type { PushFormat } from '../../domain/webhook.js';
import { toSdkEvent } from './sdk-documents.js';

const serializer = new V03PushNotificationSerializer();

/** A notification of 0.3 is a whole Task, which is all that its receivers know to read. */
export const V03_PUSH_FORMAT: PushFormat = {
  contentType: 'application/json',
  wholeTask: true,
  encode: (event) => serializer.serialize(toSdkEvent(JSON.stringify(event))).body,
};
