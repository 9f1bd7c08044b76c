/** RFC 3339 in UTC, of epoch milliseconds. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}
