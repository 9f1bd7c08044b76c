import {
  ListTasksRequest,
  type ListTasksResponse,
  Message as SdkMessage,
  SendMessageRequest,
  type SendMessageResult,
  StreamResponse as SdkStreamResponse,
  Task as SdkTask,
} from '@a2a-js/sdk';
import type { JsonObject, Message, StreamResponse, Task } from '../../domain/a2a.js';

/**
 * Between the A2A SDK's objects and the documents of the wire (ProtoJSON), which is what the
 * domain's types describe: the SDK's own codecs, typed.
 */
export type Answered = { readonly message: Message } | { readonly task: Task };

export function toEvent(event: SdkStreamResponse): StreamResponse | { readonly message: Message } {
  return SdkStreamResponse.toJSON(event) as StreamResponse | { readonly message: Message };
}

export function toTask(task: SdkTask): Task {
  return SdkTask.toJSON(task) as Task;
}

export function toAnswer(result: SendMessageResult): Answered {
  return 'messageId' in result
    ? { message: SdkMessage.toJSON(result) as Message }
    : { task: toTask(result) };
}

export function toPage(page: ListTasksResponse): {
  readonly tasks: readonly Task[];
  readonly nextPageToken: string;
  readonly totalSize: number;
} {
  return {
    tasks: page.tasks.map(toTask),
    nextPageToken: page.nextPageToken,
    totalSize: page.totalSize,
  };
}

/** @param configuration as on the wire; absent: the SDK's own. */
export function sendRequest(
  message: Message,
  metadata: JsonObject,
  configuration?: JsonObject,
): SendMessageRequest {
  return SendMessageRequest.fromJSON({
    message,
    metadata,
    ...(configuration === undefined ? {} : { configuration }),
  });
}

export function listRequest(query: JsonObject): ListTasksRequest {
  return ListTasksRequest.fromJSON(query);
}
