/**
 * The A2A 1.0 documents as they stand on the wire (ProtoJSON, spec 1.0.1 section 5.5): the
 * vocabulary of the whole core. The SDK's in-memory shape (`$case` unions, Buffers) is met only at
 * the edges that use the SDK; ADR 0002 says why.
 */
export type JsonValue =
  null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

export type TaskStateName =
  | 'TASK_STATE_SUBMITTED'
  | 'TASK_STATE_WORKING'
  | 'TASK_STATE_COMPLETED'
  | 'TASK_STATE_FAILED'
  | 'TASK_STATE_CANCELED'
  | 'TASK_STATE_INPUT_REQUIRED'
  | 'TASK_STATE_REJECTED'
  | 'TASK_STATE_AUTH_REQUIRED';

export type RoleName = 'ROLE_USER' | 'ROLE_AGENT';

/** Exactly one of `text`, `data`, `raw` (base64) and `url` is present. */
export interface Part {
  readonly text?: string;
  readonly data?: JsonValue;
  readonly raw?: string;
  readonly url?: string;
  readonly metadata?: JsonObject;
  readonly mediaType?: string;
  readonly filename?: string;
}

export interface Message {
  readonly messageId: string;
  readonly role: RoleName;
  readonly parts: readonly Part[];
  readonly contextId?: string;
  readonly taskId?: string;
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
}

export interface TaskStatus {
  readonly state: TaskStateName;
  readonly message?: Message;
  /** RFC 3339 in UTC with milliseconds. */
  readonly timestamp: string;
}

export interface Artifact {
  readonly artifactId: string;
  readonly name?: string;
  readonly description?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
  readonly extensions?: readonly string[];
}

export interface Task {
  readonly id: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly artifacts?: readonly Artifact[];
  readonly history?: readonly Message[];
  readonly metadata?: JsonObject;
}

export interface TaskStatusUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly status: TaskStatus;
  readonly metadata?: JsonObject;
}

export interface TaskArtifactUpdate {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifact: Artifact;
  /** True: the parts are added to the artifact of that id. False or absent: they replace it. */
  readonly append?: boolean;
  readonly lastChunk?: boolean;
  readonly metadata?: JsonObject;
}

/** One event of a task: what the log stores and what a stream carries (spec 3.2.3). */
export type StreamResponse =
  | { readonly task: Task }
  | { readonly statusUpdate: TaskStatusUpdate }
  | { readonly artifactUpdate: TaskArtifactUpdate };
