/** Which of the two answer forms of Streamable HTTP a client takes, and which it likes better. */
export interface Accepted {
  readonly json: boolean;
  readonly sse: boolean;
}

interface Range {
  readonly type: string;
  readonly subtype: string;
  readonly q: number;
}

/**
 * Reads an Accept header leniently (RFC 9110 section 12.5.1): wildcards, q-values and any case
 * count, and no header at all takes everything. The specification asks clients to list both types;
 * servers that insist on it lose working clients.
 */
export function acceptedForms(header: string | undefined): Accepted {
  if (header === undefined || header.trim() === '') return { json: true, sse: true };
  const ranges = header.split(',').flatMap(parseRange);
  const json = quality(ranges, 'application', 'json');
  const sse = quality(ranges, 'text', 'event-stream');
  return { json: json > 0, sse: sse > 0 && sse >= json };
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
