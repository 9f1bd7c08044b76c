import { StreamResponse, Task } from '@a2a-js/sdk';
import type { Artifact, Message, Part, Task as TaskDocument } from '../../domain/a2a.js';
import type { StreamResponse as StreamDocument } from '../../domain/a2a.js';

/** A task in the SDK's in-memory shape. */
export function toSdkTask(task: TaskDocument): Task {
  const sdk = Task.fromJSON(task);
  mendTask(task, sdk);
  return sdk;
}

/** An event, from its ProtoJSON line. */
export function toSdkEvent(json: string): StreamResponse {
  const document = JSON.parse(json) as StreamDocument;
  const sdk = StreamResponse.fromJSON(document);
  const { payload } = sdk;
  if ('task' in document && payload?.$case === 'task') mendTask(document.task, payload.value);
  if ('artifactUpdate' in document && payload?.$case === 'artifactUpdate') {
    mendParts(document.artifactUpdate.artifact, payload.value.artifact);
  }
  if ('statusUpdate' in document && payload?.$case === 'statusUpdate') {
    mendParts(document.statusUpdate.status.message, payload.value.status?.message);
  }
  return sdk;
}

type SdkParts = { parts: Task['artifacts'][number]['parts'] } | undefined;

function mendTask(task: TaskDocument, sdk: Task): void {
  task.artifacts?.forEach((artifact, index) => {
    mendParts(artifact, sdk.artifacts[index]);
  });
  task.history?.forEach((message, index) => {
    mendParts(message, sdk.history[index]);
  });
  mendParts(task.status.message, sdk.status?.message);
}

/** The SDK's fromJSON takes `data: null` for no content at all and then cannot translate the part. */
function mendParts(document: Artifact | Message | undefined, sdk: SdkParts): void {
  document?.parts.forEach((part: Part, index) => {
    const converted = sdk?.parts[index];
    if (part.data === null && converted !== undefined) {
      converted.content = { $case: 'data', value: null };
    }
  });
}
