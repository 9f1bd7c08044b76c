import type { JsonObject, Message, StreamResponse, Task } from '../../domain/a2a.js';

/** Where the results of a command go. */
export interface Output {
  event(event: StreamResponse): void;
  /** An answer of an agent that makes no task of it. */
  message(message: Message): void;
  /** A task as the answer of a call. */
  task(task: Task): void;
  list(page: { readonly tasks: readonly Task[]; readonly nextPageToken: string }): void;
  /** Webhooks of a task (TaskPushNotificationConfig). */
  webhooks(configs: readonly JsonObject[]): void;
  /** The end of a send or a subscription, with what the user can do next. */
  end(task: Task, next: readonly string[]): void;
  /** A remark beside the results. */
  note(text: string): void;
}

export interface Streams {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** `out` is a terminal that may show colours. */
  readonly colour: boolean;
}
