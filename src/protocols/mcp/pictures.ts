import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Part, Task } from '../../domain/a2a.js';
import { fileOf } from '../../domain/file-ref.js';

/** Base64 characters of all pictures of one result (design section 8). */
export const PICTURE_CHARS = 3 * 1024 * 1024;

/** What clients show; a model reads no SVG as a picture. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The bytes of a task's files, in the order of the names; undefined for one that is gone. */
export type ReadFiles = (
  taskId: string,
  names: readonly string[],
) => Promise<readonly ({ readonly content: Buffer } | undefined)[]>;

/**
 * The result with the pictures of the task's newest run behind its texts, as many as one result may
 * hold; a text names those that are left out.
 */
export async function withPictures(
  result: CallToolResult,
  task: Task,
  read: ReadFiles,
): Promise<CallToolResult> {
  const parts = newestParts(task).filter(isPicture);
  if (parts.length === 0) return result;
  const names = parts.flatMap((part) => fileOf(part)?.name ?? []);
  const contents = names.length === 0 ? [] : await read(task.id, names);
  const known = parts.map((part): Part => {
    const name = fileOf(part)?.name;
    const content = name === undefined ? undefined : contents[names.indexOf(name)]?.content;
    return content === undefined ? part : { ...part, raw: content.toString('base64') };
  });
  return withParts(result, known);
}

/** The result with the pictures among these parts behind its texts. */
export function withParts(result: CallToolResult, parts: readonly Part[]): CallToolResult {
  const blocks: CallToolResult['content'] = [];
  const left: string[] = [];
  let room = PICTURE_CHARS;
  for (const { raw, mediaType = '', filename = 'picture' } of parts.filter(isPicture)) {
    if (raw === undefined || raw.length > room) {
      left.push(filename);
      continue;
    }
    room -= raw.length;
    blocks.push({ type: 'image', data: raw, mimeType: mediaType.toLowerCase() });
  }
  const note = `Not shown, as a result may hold 3 MiB of pictures: ${left.join(', ')}. Get the task over A2A.`;
  if (left.length > 0) blocks.push({ type: 'text', text: note });
  return blocks.length === 0 ? result : { ...result, content: [...result.content, ...blocks] };
}

/** True for a part that clients show as a picture. */
export function isPicture({ mediaType = '' }: Part): boolean {
  return SHOWN.has(mediaType.toLowerCase());
}

/** Of the run that answered last: what an earlier one showed went out with its own result. */
export function newestParts({ artifacts = [] }: Task): readonly Part[] {
  const leg = artifacts.reduce((most, { artifactId }) => Math.max(most, legOf(artifactId)), 0);
  return artifacts
    .filter(({ artifactId, metadata }) => {
      return legOf(artifactId) === leg && metadata?.['superseded'] !== true;
    })
    .flatMap(({ parts }) => parts);
}

/** The number before the first dash of an id, as the core makes them. */
function legOf(artifactId: string): number {
  return Number(/^\d{1,6}(?=-)/.exec(artifactId)?.[0] ?? 0);
}
