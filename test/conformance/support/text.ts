/** The value, which has to be a text. @throws Error for any other. */
export function asText(value: unknown): string {
  if (typeof value !== 'string') throw new Error(`no text: ${JSON.stringify(value)}`);
  return value;
}
