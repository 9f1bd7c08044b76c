/**
 * The document without the keys that have no value: an empty section in YAML (`log:`) is null and
 * means "as it is". What a module backend gets as its options is its own business and stays.
 */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Record<string, unknown>)
    .filter(([, content]) => content !== null)
    .map(([key, content]) => [key, key === 'options' ? content : withoutNulls(content)]);
  return Object.fromEntries(entries) as unknown;
}
