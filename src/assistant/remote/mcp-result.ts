import { z } from 'zod';
import type { JsonObject } from '../../domain/a2a.js';
import type { Frame } from '../assistant-backend.js';
import { cleanText } from '../sources/clean-text.js';

const TEXT_CHARS = 200_000;
const MOST_BLOCKS = 256;
/** Binary contents that become artifacts. */
const MOST_FILES = 16;

const block = z.object({
  type: z.string(),
  text: z.string().optional().catch(undefined),
  data: z.string().optional().catch(undefined),
  mimeType: z.string().optional().catch(undefined),
  name: z.string().optional().catch(undefined),
  uri: z.string().optional().catch(undefined),
  resource: z
    .object({
      uri: z.string().catch(''),
      text: z.string().optional().catch(undefined),
      blob: z.string().optional().catch(undefined),
      mimeType: z.string().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});
const jsonObject = z.record(z.string(), z.json()) as z.ZodType<JsonObject>;
const result = z.object({
  content: z.array(z.unknown()).catch([]),
  structuredContent: jsonObject.optional().catch(undefined),
  isError: z.boolean().catch(false),
});

export interface ReadResult {
  readonly success: boolean;
  readonly text: string;
  /** What it sent beside, where that is a JSON object. */
  readonly structured?: JsonObject;
  readonly files: readonly Extract<Frame, { kind: 'artifact' }>[];
}

/** What an MCP server answered to a call: its texts in one, pictures and files as artifacts. */
export function readResult(tool: string, value: unknown): ReadResult {
  const { content, structuredContent, isError } = result.parse(value ?? {});
  const texts: string[] = [];
  const files: Extract<Frame, { kind: 'artifact' }>[] = [];
  for (const given of content.slice(0, MOST_BLOCKS)) {
    const parsed = block.safeParse(given);
    if (!parsed.success) continue;
    const { type, text, data, mimeType, name, uri, resource } = parsed.data;
    if (type === 'text') texts.push(text ?? '');
    else if (type === 'resource_link') {
      texts.push(`[${cleanText(name ?? 'link', 200)}: ${cleanText(uri ?? '', 1000)}]`);
    } else if (resource?.text !== undefined) texts.push(resource.text);
    else {
      const raw = data ?? resource?.blob;
      if (raw === undefined || files.length >= MOST_FILES) continue;
      const mediaType = cleanText(mimeType ?? resource?.mimeType ?? '', 100);
      const label = `${tool}-${files.length + 1}${extensionOf(mediaType)}`;
      files.push(artifact(tool, raw, label, mediaType));
      texts.push(`[${mediaType === '' ? 'a file' : mediaType}, kept as ${label}]`);
    }
  }
  if (texts.every((text) => text.trim() === '') && structuredContent !== undefined) {
    texts.push(JSON.stringify(structuredContent));
  }
  const text = texts.join('\n');
  return {
    success: !isError,
    text: text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS)}… [cut here]` : text,
    files,
    ...(structuredContent === undefined ? {} : { structured: structuredContent }),
  };
}

function artifact(
  tool: string,
  raw: string,
  filename: string,
  mediaType: string,
): Extract<Frame, { kind: 'artifact' }> {
  const part = { raw, filename, ...(mediaType === '' ? {} : { mediaType }) };
  return { kind: 'artifact', name: tool, parts: [part] };
}

function extensionOf(mediaType: string): string {
  const subtype = /^[a-z]+\/([a-z0-9]{2,5})(?:[+;]|$)/i.exec(mediaType)?.[1];
  return subtype === undefined ? '' : `.${subtype.toLowerCase()}`;
}
