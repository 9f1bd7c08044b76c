import fc from 'fast-check';
import type { JsonValue } from '../../../src/domain/a2a.js';
import { oddBytes, oddHeader, oddJson, oddKey, oddMethod, oddTarget } from './odd.js';
import type { RawRequest } from './raw-http.js';
import type { Template } from './templates.js';

/** Changes JSON by text, so that it may become what JSON.stringify would never write. */
type Edit =
  | { readonly kind: 'replace'; readonly at: number; readonly json: string }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'add'; readonly at: number; readonly key: string; readonly json: string };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('replace' as const), at: fc.nat(60), json: oddJson }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), at: fc.nat(60) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      at: fc.nat(60),
      key: oddKey,
      json: oddJson,
    }),
  },
);

interface Change {
  readonly edits: readonly Edit[];
  readonly bytes: ((body: Buffer) => Buffer) | undefined;
  readonly headers: readonly (readonly [string, string])[];
  readonly target: ((target: string) => string) | undefined;
  readonly method: string | undefined;
  readonly length: number | 'chunked' | undefined;
}

const change: fc.Arbitrary<Change> = fc.record({
  edits: fc.array(edit, { maxLength: 2 }),
  bytes: rarely(oddBytes, 6),
  headers: fc.array(oddHeader, { maxLength: 2 }),
  target: rarely(oddTarget, 4),
  method: rarely(oddMethod, 10),
  length: rarely(fc.constantFrom<number | 'chunked'>('chunked', 'chunked', 0, 1, 100_000), 12),
});

/** The value once in so many times, else undefined. */
function rarely<T>(arbitrary: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: oneIn - 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary },
  );
}

/** A request made of one of the templates, with a few things about it changed. */
export function mutatedRequest(
  templates: readonly Template[],
  token: string,
  host: string,
): fc.Arbitrary<{ readonly template: Template; readonly request: RawRequest }> {
  return fc
    .tuple(fc.constantFrom(...templates), change)
    .map(([template, changed]) => ({ template, request: apply(template, changed, token, host) }));
}

function apply(template: Template, changed: Change, token: string, host: string): RawRequest {
  const { edits, bytes, headers, target, method, length } = changed;
  const text = template.body === undefined ? '' : editedText(template.body, edits);
  const body = bytes === undefined ? Buffer.from(text) : bytes(Buffer.from(text));
  const changedNames = new Set(headers.map(([name]) => name));
  const own = Object.entries({
    host,
    'x-user-token': token,
    ...(template.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...template.headers,
  }).filter(([name]) => !changedNames.has(name));
  return {
    method: method ?? template.method,
    target: target === undefined ? template.target : target(template.target),
    headers: [...own, ...headers],
    body,
    length,
  };
}

/** The document with the edits, each at a value counted in the order of the text. */
function editedText(document: JsonValue, edits: readonly Edit[]): string {
  let count = 0;
  const total = countOf(document);
  const at = new Map(edits.map((one) => [one.at % total, one]));
  const write = (value: JsonValue): string | undefined => {
    const here = at.get(count);
    count += 1;
    if (here?.kind === 'replace') {
      count += countOf(value) - 1;
      return here.json;
    }
    if (here?.kind === 'remove') {
      count += countOf(value) - 1;
      return undefined;
    }
    if (Array.isArray(value)) {
      return `[${(value as readonly JsonValue[]).flatMap((one) => write(one) ?? []).join(',')}]`;
    }
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const pairs = Object.entries(value).flatMap(([key, one]) => {
      const written = write(one);
      return written === undefined ? [] : [`${JSON.stringify(key)}:${written}`];
    });
    if (here?.kind === 'add') pairs.push(`${JSON.stringify(here.key)}:${here.json}`);
    return `{${pairs.join(',')}}`;
  };
  return write(document) ?? '';
}

function countOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, one) => sum + countOf(one), 1);
}
