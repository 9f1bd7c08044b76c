import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Artifact, Part, Task } from '../../domain/a2a.js';
import { linkFiles } from '../../domain/file-ref.js';
import { startOf } from '../../domain/text.js';
import type { TaskPage } from '../../tasks/task.types.js';
import { fitsAnswer } from './bounded-answer.js';

/** Characters of a part where a whole task is too long; each step is tried in turn. */
const PART_CHARS = [16_000, 8000, 4000, 2000, 1000, 300];
const STATUS_CHARS = 200;

/**
 * A task as a tool's result: the A2A 1.0 document as JSON text and as structuredContent, files as
 * links. One that is longer than a result may be is shortened, and its metadata says so.
 * @param baseUrl without a trailing slash.
 */
export function taskResult(
  task: Task,
  baseUrl: string,
  { failureIsError = false } = {},
): CallToolResult {
  const { state } = task.status;
  const failed = state === 'TASK_STATE_FAILED' || state === 'TASK_STATE_REJECTED';
  const isError = failureIsError && (failed || state === 'TASK_STATE_CANCELED');
  const linked = linkFiles({ task }, baseUrl);
  const shown = boundedTask('task' in linked ? linked.task : task);
  return { ...documentResult({ ...shown }), ...(isError ? { isError } : {}) };
}

/** A task as a list shows it: without artifacts and history. */
export function taskInList({ id, contextId, status, metadata }: Task): Task {
  return {
    ...{ id, contextId },
    status: shortStatus(status),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** A page of tasks without artifacts and history. */
export function taskListResult({ tasks, nextPageToken, totalSize }: TaskPage): CallToolResult {
  return documentResult({
    tasks: tasks.map(taskInList),
    next_page_token: nextPageToken,
    total_size: totalSize,
  });
}

/** The document as structuredContent and, for clients before 2025-06-18, as JSON text. */
export function documentResult(document: Record<string, unknown>): CallToolResult {
  return {
    content: [{ type: 'text', text: JSON.stringify(document) }],
    structuredContent: document,
  };
}

/** What is least needed goes first: history, thoughts, then the ends of long parts. */
export function boundedTask(task: Task): Task {
  const { history: _history, ...bare } = task;
  const answers = (task.artifacts ?? []).filter((artifact) => !isThought(artifact));
  const metadata = { ...task.metadata, 'nightjar.shortened': true };
  const lean: Task = { ...bare, metadata, artifacts: answers };
  const cut = (most: number): Task => ({
    ...lean,
    artifacts: answers.map((artifact) => ({
      ...artifact,
      parts: artifact.parts.map((part) => shortPart(part, most)),
    })),
  });
  for (const shown of [task, lean]) if (fitsAnswer(JSON.stringify(shown))) return shown;
  for (const most of PART_CHARS) {
    const shown = cut(most);
    if (fitsAnswer(JSON.stringify(shown))) return shown;
  }
  return { ...lean, artifacts: [], status: shortStatus(task.status) };
}

function isThought({ parts }: Artifact): boolean {
  return parts.length > 0 && parts.every(({ metadata }) => metadata?.['adk_thought'] === true);
}

function shortPart(part: Part, most: number): Part {
  if (part.text !== undefined) {
    return part.text.length <= most ? part : { ...part, text: `${startOf(part.text, most)} […]` };
  }
  const { data, raw, ...rest } = part;
  const size = data === undefined ? (raw?.length ?? 0) : JSON.stringify(data).length;
  if (size <= most) return part;
  return { ...rest, text: `[left out here: ${size} characters of data; get the task over A2A]` };
}

function shortStatus({ state, timestamp, message }: Task['status']): Task['status'] {
  if (message === undefined) return { state, timestamp };
  const parts = message.parts.map((part) => shortPart(part, STATUS_CHARS)).slice(0, 1);
  return { state, timestamp, message: { ...message, parts } };
}
