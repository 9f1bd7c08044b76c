import { TaskPushNotificationConfig } from '@a2a-js/sdk';
import type { JsonObject } from '../../domain/a2a.js';
import type { Session } from './commands.js';
import { EXIT, type ExitCode } from './exit-code.js';

/** Registers a webhook with a task; the server names it unless `id` does. */
export async function addWebhook(
  { client, output, signal }: Session,
  taskId: string,
  webhook: { readonly url: string; readonly id?: string; readonly notifyToken?: string },
): Promise<ExitCode> {
  const { url, id = '', notifyToken: token = '' } = webhook;
  const config = { tenant: '', taskId, id, url, token, authentication: undefined };
  output.webhooks([shown(await client.createTaskPushNotificationConfig(config, { signal }))]);
  return EXIT.ok;
}

export async function listWebhooks(
  { client, output, signal }: Session,
  taskId: string,
): Promise<ExitCode> {
  const request = { tenant: '', taskId, pageSize: 0, pageToken: '' };
  const { configs } = await client.listTaskPushNotificationConfig(request, { signal });
  output.webhooks(configs.map(shown));
  return EXIT.ok;
}

/** Also of one that is not there (A2A 3.1.10). */
export async function removeWebhook(
  { client, output, signal }: Session,
  taskId: string,
  id: string,
): Promise<ExitCode> {
  await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id }, { signal });
  output.note(`Task ${taskId} has no webhook ${id} any more`);
  return EXIT.ok;
}

function shown(config: TaskPushNotificationConfig): JsonObject {
  return TaskPushNotificationConfig.toJSON(config) as JsonObject;
}
