import type { JsonObject, JsonValue } from '../../domain/a2a.js';

/** JSON with sorted keys and no spaces (RFC 8785); for documents without fractions. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

/** What the SDK for Python takes for granted, and leaves out. */
const DEFAULTS = { protocolVersion: '0.3.0', preferredTransport: 'JSONRPC' } as const;

/**
 * What is left of a 0.3 card in the SDK for Python (`canonicalize_agent_card` of a2a-sdk 0.3.21 and
 * later): fields of its own model without those that have their default (a scheme's `type` always
 * has), nothing empty, and only ASCII.
 */
export function canonicalOfPython03(card: JsonObject): string {
  const { supportedInterfaces, signatures, ...known } = card;
  const told = Object.fromEntries(
    Object.entries(known).filter(
      ([key, value]) => DEFAULTS[key as keyof typeof DEFAULTS] !== value,
    ),
  );
  const schemes = Object.entries((card['securitySchemes'] ?? {}) as Record<string, JsonObject>);
  const securitySchemes = Object.fromEntries(
    schemes.map(([name, { type, ...scheme }]) => [name, scheme]),
  );
  const text = canonicalJson(withoutEmpty({ ...told, securitySchemes }) ?? {});
  return text.replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Undefined for what is empty, or has nothing in it that is not. */
function withoutEmpty(value: JsonValue): JsonValue | undefined {
  if (value === null || value === '') return undefined;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  const members = Object.entries(value).flatMap(([key, item]) => {
    const kept = withoutEmpty(item);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
