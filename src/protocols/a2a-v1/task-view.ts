import type { Artifact, StreamResponse, Task } from '../../domain/a2a.js';
import type { TaskStream } from '../../tasks/task.types.js';
import type { OutputModes } from './output-modes.js';

/** What a caller asked to see of a task. */
export interface TaskView {
  /** Undefined: all there is; 0: no `history` field; n: the newest n messages (spec 3.2.4). */
  readonly historyLength?: number | undefined;
  readonly outputModes?: OutputModes | undefined;
  /** False: no `artifacts` field (ListTasks without includeArtifacts). */
  readonly artifacts?: boolean;
}

/** The task trimmed to the view; the stored one is not touched. */
export function viewTask(task: Task, view: TaskView): Task {
  const { history, artifacts, ...rest } = task;
  const shown = {
    history: view.historyLength === undefined ? history : lastOf(history, view.historyLength),
    artifacts: view.artifacts === false ? undefined : filterArtifacts(artifacts, view.outputModes),
  };
  return {
    ...rest,
    ...(shown.artifacts === undefined ? {} : { artifacts: shown.artifacts }),
    ...(shown.history === undefined ? {} : { history: shown.history }),
  };
}

/**
 * The stream trimmed to the view. Without a wish it is the stream itself: its events then pass as
 * the text they were stored as. With one, only the events that it concerns are parsed.
 */
export function viewStream(stream: TaskStream, view: TaskView): TaskStream {
  if (view.historyLength === undefined && view.outputModes === undefined) return stream;
  return trimmed(stream, view);
}

async function* trimmed(stream: TaskStream, view: TaskView): AsyncGenerator<TaskStreamEvent> {
  for await (const event of stream) {
    const json = trimEvent(event.json, view);
    if (json === event.json) yield event;
    else if (json !== undefined) yield { ...event, json };
  }
}

type TaskStreamEvent = TaskStream extends AsyncIterable<infer E> ? E : never;

function trimEvent(json: string, view: TaskView): string | undefined {
  if (json.startsWith('{"task":')) {
    const event = JSON.parse(json) as Extract<StreamResponse, { task: Task }>;
    return JSON.stringify({ ...event, task: viewTask(event.task, view) });
  }
  if (view.outputModes === undefined || !json.startsWith('{"artifactUpdate":')) return json;
  const { artifactUpdate } = JSON.parse(json) as Extract<
    StreamResponse,
    { artifactUpdate: object }
  >;
  const artifact = view.outputModes.filter(artifactUpdate.artifact);
  if (artifact === artifactUpdate.artifact) return json;
  // An event whose parts are all dropped is left out: it would be an empty artifact.
  if (artifact === undefined) return undefined;
  return JSON.stringify({ artifactUpdate: { ...artifactUpdate, artifact } });
}

function lastOf<T>(list: readonly T[] | undefined, count: number): readonly T[] | undefined {
  if (count === 0 || list === undefined) return undefined;
  return list.length > count ? list.slice(-count) : list;
}

function filterArtifacts(
  artifacts: readonly Artifact[] | undefined,
  modes: OutputModes | undefined,
): readonly Artifact[] | undefined {
  if (artifacts === undefined || modes === undefined) return artifacts;
  const kept = artifacts.flatMap((artifact) => modes.filter(artifact) ?? []);
  return kept.length > 0 ? kept : undefined;
}
