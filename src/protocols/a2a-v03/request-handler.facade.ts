import {
  type AgentCard,
  type CancelTaskRequest,
  type DeleteTaskPushNotificationConfigRequest,
  type GetTaskPushNotificationConfigRequest,
  type GetTaskRequest,
  type ListTaskPushNotificationConfigsRequest,
  type ListTaskPushNotificationConfigsResponse,
  type ListTasksRequest,
  type ListTasksResponse,
  SendMessageRequest,
  type StreamResponse,
  type SubscribeToTaskRequest,
  type Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { AgentCard as AgentCardCodec, ListTasksRequest as ListCodec } from '@a2a-js/sdk';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import type { JsonValue } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import type { TaskStream } from '../../tasks/task.types.js';
import type { A2AOperations } from '../a2a-v1/a2a.operations.js';
import type { Call } from '../a2a-v1/call.js';
import { toSdkEvent, toSdkTask } from './sdk-documents.js';

type StreamEvent = TaskStream extends AsyncIterable<infer E> ? E : never;

/**
 * The SDK's handler interface over the one operations object, for one call: the SDK's 0.3 transport
 * translates between 0.3 and the SDK's shapes, this between those and the 1.0 documents of the core.
 */
export class RequestHandlerFacade implements A2ARequestHandler {
  /** What an operation threw. The SDK makes its own error of it; this is the one to answer. */
  refusal: Error | undefined;
  /** The event behind the value that a stream yielded last. */
  event: StreamEvent | undefined;

  constructor(
    private readonly operations: A2AOperations,
    private readonly ctx: CallContext,
    private readonly call: Call,
  ) {}

  /** Read by the SDK for one thing only: whether it may stream. */
  getAgentCard(): Promise<AgentCard> {
    return Promise.resolve(AgentCardCodec.fromJSON({ capabilities: { streaming: true } }));
  }

  /** Not translated by the SDK, which would leave out half of it. */
  getAuthenticatedExtendedAgentCard(): Promise<never> {
    return this.keep(() => {
      throw new Error('bug: the 0.3 card is made here, not by the SDK');
    });
  }

  sendMessage(params: SendMessageRequest): Promise<Task> {
    return this.keep(async () =>
      toSdkTask(await this.operations.sendMessage(this.ctx, documentOf(params), this.call)),
    );
  }

  sendMessageStream(params: SendMessageRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.stream(() =>
      this.operations.streamMessage(this.ctx, documentOf(params), this.call),
    );
  }

  getTask({ id, historyLength }: GetTaskRequest): Promise<Task> {
    const params = { id, ...(historyLength === undefined ? {} : { historyLength }) };
    return this.keep(async () =>
      toSdkTask(await this.operations.getTask(this.ctx, params, this.call)),
    );
  }

  /** 0.3 refuses to cancel a canceled task, where 1.0 answers it (design section 5.6). */
  cancelTask({ id }: CancelTaskRequest): Promise<Task> {
    return this.keep(async () => {
      const { task, again } = await this.operations.cancelTask(this.ctx, { id }, this.call);
      if (again) throw new DomainError('TASK_NOT_CANCELABLE', 'The task is canceled already');
      return toSdkTask(task);
    });
  }

  resubscribe({ id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void, undefined> {
    return this.stream(() => this.operations.subscribe(this.ctx, { id }, this.call));
  }

  /** Not a method of 0.3; here because the interface has it. */
  listTasks(params: ListTasksRequest): Promise<ListTasksResponse> {
    return this.keep(async () => {
      const document = ListCodec.toJSON(params) as JsonValue;
      const list = await this.operations.listTasks(this.ctx, document, this.call);
      return { ...list, tasks: list.tasks.map(toSdkTask) };
    });
  }

  createTaskPushNotificationConfig(
    params: TaskPushNotificationConfig,
  ): Promise<TaskPushNotificationConfig> {
    const document = TaskPushNotificationConfig.toJSON(params) as JsonValue;
    return this.keep(async () =>
      TaskPushNotificationConfig.fromJSON(
        await this.operations.push.create(this.ctx, document, this.call),
      ),
    );
  }

  getTaskPushNotificationConfig({
    taskId,
    id,
  }: GetTaskPushNotificationConfigRequest): Promise<TaskPushNotificationConfig> {
    return this.keep(async () =>
      TaskPushNotificationConfig.fromJSON(
        await this.operations.push.get(this.ctx, { taskId, id }, this.call),
      ),
    );
  }

  /** 0.3 knows no pages of them: all there are. */
  listTaskPushNotificationConfigs({
    taskId,
  }: ListTaskPushNotificationConfigsRequest): Promise<ListTaskPushNotificationConfigsResponse> {
    return this.keep(async () => {
      const { configs } = await this.operations.push.list(this.ctx, { taskId }, this.call);
      return {
        configs: configs.map((one) => TaskPushNotificationConfig.fromJSON(one)),
        nextPageToken: '',
      };
    });
  }

  deleteTaskPushNotificationConfig({
    taskId,
    id,
  }: DeleteTaskPushNotificationConfigRequest): Promise<void> {
    return this.keep(() => this.operations.push.delete(this.ctx, { taskId, id }, this.call));
  }

  private async *stream(
    open: () => Promise<TaskStream>,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    for await (const event of await this.keep(open)) {
      this.event = event;
      yield toSdkEvent(event.json);
    }
  }

  private async keep<T>(work: () => Promise<T> | T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.refusal = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }
}

function documentOf(params: SendMessageRequest): JsonValue {
  return SendMessageRequest.toJSON(params) as JsonValue;
}
