import type { Artifact, Part, StreamResponse, Task } from './a2a.js';

/** A file may be so large, and all files of a task together (design section 6). */
export const FILE_BYTES = 8 * 1024 * 1024;
export const TASK_FILE_BYTES = 32 * 1024 * 1024;

const SCHEME = 'nightjar-file:';
/**
 * Stands in the JSON of every event that refers to a file, and in no other place but a backend's own
 * data: inside a text its quotes would be escaped.
 */
export const FILE_MARK = `"url":"${SCHEME}`;

/** What a task keeps of a file beside its bytes. */
export interface KeptFile {
  /** Of the bytes' key, and in the URL; unique in the task. */
  readonly name: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** The `url` of a part whose bytes are kept beside the task: `nightjar-file:<bytes>/<name>`. */
export function fileUrl({ name, bytes }: KeptFile): string {
  return `${SCHEME}${bytes}/${encodeURIComponent(name)}`;
}

/** The file that a part refers to; undefined for any other part. */
export function fileOf(part: Part): { readonly name: string; readonly bytes: number } | undefined {
  const match = /^nightjar-file:(\d{1,9})\/([\w.!~*'()%-]{1,2048})$/.exec(part.url ?? '');
  if (match === null) return undefined;
  try {
    return { bytes: Number(match[1]), name: decodeURIComponent(match[2] ?? '') };
  } catch {
    return undefined;
  }
}

export function refersToFiles(task: Task): boolean {
  return task.artifacts?.some(hasFile) ?? false;
}

function hasFile(artifact: Artifact): boolean {
  return artifact.parts.some((part) => part.url?.startsWith(SCHEME) === true);
}

/** Where a file is got over HTTP, by its owner. @param baseUrl without a trailing slash. */
export function fileLink(baseUrl: string, taskId: string, name: string): string {
  return `${baseUrl}/a2a/tasks/${encodeURIComponent(taskId)}/artifacts/${encodeURIComponent(name)}`;
}

/** An event with a link in place of every reference, for readers that get no bytes (webhooks). */
export function linkFiles(event: StreamResponse, baseUrl: string): StreamResponse {
  const link = (taskId: string, artifact: Artifact): Artifact => ({
    ...artifact,
    parts: artifact.parts.map((part) => {
      const file = fileOf(part);
      return file === undefined ? part : { ...part, url: fileLink(baseUrl, taskId, file.name) };
    }),
  });
  if ('artifactUpdate' in event) {
    const { artifactUpdate } = event;
    if (!hasFile(artifactUpdate.artifact)) return event;
    const artifact = link(artifactUpdate.taskId, artifactUpdate.artifact);
    return { artifactUpdate: { ...artifactUpdate, artifact } };
  }
  if (!('task' in event) || !refersToFiles(event.task)) return event;
  const { task } = event;
  const artifacts = task.artifacts?.map((artifact) => link(task.id, artifact)) ?? [];
  return { task: { ...task, artifacts } };
}

/** One line of the task hash's `files`. */
export function formatFile({ name, bytes, mediaType }: KeptFile): string {
  return `${encodeURIComponent(name)} ${bytes} ${encodeURIComponent(mediaType)}`;
}

/** The task hash's `files`; empty for a task without. */
export function parseFiles(text: string): readonly KeptFile[] {
  if (text === '') return [];
  return text.split('\n').map((line) => {
    const [name = '', bytes = '', mediaType = ''] = line.split(' ');
    return {
      name: decodeURIComponent(name),
      bytes: Number(bytes),
      mediaType: decodeURIComponent(mediaType),
    };
  });
}
