import type { JsonObject, JsonValue } from '../../domain/a2a.js';

const INTEGERS = new Set(['pageSize', 'historyLength']);
const BOOLEANS = new Set(['includeArtifacts']);

/**
 * The query of a GET as a request document (google.api.http: fields that are not in the path).
 * Text that is no number or boolean, and a parameter given twice, stay as they are, for the
 * operation to refuse by name.
 */
export function queryDocument(query: unknown): JsonObject {
  const pairs = Object.entries((query ?? {}) as Record<string, JsonValue>);
  return Object.fromEntries(pairs.map(([key, value]) => [key, fieldOf(key, value)]));
}

function fieldOf(key: string, value: JsonValue): JsonValue {
  if (typeof value !== 'string') return value;
  if (INTEGERS.has(key) && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (BOOLEANS.has(key) && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
