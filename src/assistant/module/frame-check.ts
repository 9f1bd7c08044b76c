import { z } from 'zod';
import type { JsonObject, JsonValue, Part } from '../../domain/a2a.js';
import type { Frame } from '../assistant-backend.js';

/** A module yielded something that is no Frame; the message says what, for the operator. */
export class FrameError extends Error {}

const json = z.json() as z.ZodType<JsonValue>;
const jsonObject = z.record(z.string(), json) as z.ZodType<JsonObject>;
const CONTENT_KEYS = ['text', 'data', 'raw', 'url'] as const;

const part = z
  .strictObject({
    text: z.string().optional(),
    data: json.optional(),
    raw: z.base64().optional(),
    url: z.url().optional(),
    metadata: jsonObject.optional(),
    mediaType: z.string().optional(),
    filename: z.string().optional(),
  })
  .refine((value) => CONTENT_KEYS.filter((key) => value[key] !== undefined).length === 1, {
    error: 'exactly one of text, data, raw and url must be there',
  })
  .transform(withoutUndefined) as z.ZodType<Part>;

const frame = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('content'), text: z.string() }),
  z.strictObject({ kind: z.literal('reason'), text: z.string() }),
  z.strictObject({ kind: z.literal('step'), text: z.string() }),
  z.strictObject({
    kind: z.literal('artifact'),
    name: z.string().min(1),
    parts: z.array(part).min(1),
    description: z.string().optional(),
    contentType: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('input_required'),
    question: z.string().min(1),
    expects: z.enum(['approval', 'text']),
  }),
  z.strictObject({ kind: z.literal('auth_required'), question: z.string().min(1) }),
  z.strictObject({ kind: z.literal('reject'), reason: z.string().min(1) }),
  z.strictObject({ kind: z.literal('fail'), reason: z.string().min(1) }),
  z.strictObject({ kind: z.literal('memory'), data: json }),
]);

/**
 * What a module yielded, as a Frame of our own making.
 * @throws FrameError when it is none; the message names the field, never its value.
 */
export function checkFrame(value: unknown): Frame {
  const result = frame.safeParse(value);
  if (result.success) return withoutUndefined(result.data) as Frame;
  const issue = result.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`;
  throw new FrameError(`not a frame${where}: ${issue?.message ?? 'invalid'}`);
}

function withoutUndefined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T;
}
