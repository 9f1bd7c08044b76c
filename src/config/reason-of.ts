/** What a thrown value says. Here, since every folder may import this one. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
