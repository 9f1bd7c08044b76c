import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Part, Task } from '../../domain/a2a.js';
import { fileLink, fileOf } from '../../domain/file-ref.js';
import { isPicture, newestParts, withPictures } from './pictures.js';
import type { ToolHost } from './tool-host.js';

/** A result is no list of files; the task over A2A has them all. */
const MOST_LINKS = 20;

/** The first protocol version with `resource_link` (its schema of content would refuse it before). */
const LINKS_SINCE = '2025-06-18';

/**
 * The result with what else the task's newest run made: pictures as images, every other file (a
 * chart's `chart.csv`) as a `resource_link` to where the caller's own token reads it. A client that
 * is too old for links, or whose token does not open that place, gets the names in a text.
 */
export async function withTaskFiles(
  result: CallToolResult,
  task: Task,
  { exchange, readFiles }: ToolHost,
): Promise<CallToolResult> {
  const shown = await withPictures(result, task, readFiles);
  const files = newestParts(task).filter((part) => !isPicture(part) && fileOf(part) !== undefined);
  if (files.length === 0) return shown;
  const { ctx, baseUrl, protocolVersion } = exchange.options;
  const opens = ctx.scopes.includes('a2a') && protocolVersion >= LINKS_SINCE;
  const blocks: CallToolResult['content'] = opens
    ? files.slice(0, MOST_LINKS).map((part) => linkTo(part, task.id, baseUrl()))
    : [{ type: 'text', text: named(files.slice(0, MOST_LINKS), task.id) }];
  return { ...shown, content: [...shown.content, ...blocks] };
}

function linkTo(part: Part, taskId: string, baseUrl: string): CallToolResult['content'][number] {
  const { name, bytes } = fileOf(part) ?? { name: '', bytes: 0 };
  return {
    // In the SDK's order, so that its answers and ours stay comparable byte by byte.
    name: part.filename ?? name,
    uri: fileLink(baseUrl, taskId, name),
    description: 'GET it with the same token.',
    mimeType: part.mediaType ?? 'application/octet-stream',
    size: bytes,
    type: 'resource_link',
  };
}

function named(files: readonly Part[], taskId: string): string {
  const names = files.map(({ filename = 'file' }) => filename).join(', ');
  return `Files beside this answer: ${names}. Get the task ${taskId} over A2A.`;
}
