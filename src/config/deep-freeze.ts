/** Freezes a tree of plain objects and arrays, and returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach((part: unknown) => {
    deepFreeze(part);
  });
  return Object.freeze(value);
}
