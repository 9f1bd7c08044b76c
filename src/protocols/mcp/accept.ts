/**
 * In which form of Streamable HTTP a client wants its answer: `either` leaves it to us, `sse` and
 * `json` are what it likes better or takes alone, `none` is neither.
 */
export type AnswerForm = 'either' | 'json' | 'sse' | 'none';

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly q: number;
}

/** What the specification tells clients to send, and almost all do. */
const USUAL = new Set([
  'application/json, text/event-stream',
  'application/json,text/event-stream',
]);

/**
 * Reads an Accept header leniently (RFC 9110 section 12.5.1): wildcards, q-values and any case
 * count, and no header at all takes everything. The specification asks clients to list both types;
 * servers that insist on it lose working clients.
 */
export function acceptedForm(header: string | undefined): AnswerForm {
  if (header === undefined || USUAL.has(header) || header.trim() === '') return 'either';
  const ranges = header.split(',').flatMap(parseRange);
  const json = quality(ranges, 'application', 'json');
  const sse = quality(ranges, 'text', 'event-stream');
  if (json === sse) return json > 0 ? 'either' : 'none';
  return json > sse ? 'json' : 'sse';
}

function parseRange(text: string): readonly Range[] {
  const [media = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [type, subtype] = media.split('/');
  if (type === undefined || subtype === undefined || type === '' || subtype === '') return [];
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const q = weight === undefined ? 1 : Number(weight.slice(2));
  return [{ type, subtype, q: Number.isFinite(q) ? q : 0 }];
}

/** The most specific range that matches decides; 0 when none does. */
function quality(ranges: readonly Range[], type: string, subtype: string): number {
  const exact = ranges.find((range) => range.type === type && range.subtype === subtype);
  const half = ranges.find((range) => range.type === type && range.subtype === '*');
  const any = ranges.find((range) => range.type === '*' && range.subtype === '*');
  return (exact ?? half ?? any)?.q ?? 0;
}
