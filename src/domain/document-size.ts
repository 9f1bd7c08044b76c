/**
 * No event and no task goes over the wire with more: clients of the public SDKs die on lines of 4 MiB
 * (design section 6), and an envelope is still to come.
 */
export const WIRE_BYTES = 3 * 1024 * 1024;

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
