/**
 * The pause before the next try, ms: doubled by each failure, with a random half off it, so that
 * webhooks that failed together do not come back together.
 * @param tries failures so far, 1 or more.
 */
export function backOffMs(
  tries: number,
  { retryBaseMs, retryMaxMs }: { readonly retryBaseMs: number; readonly retryMaxMs: number },
  random: () => number = Math.random,
): number {
  const full = Math.min(retryMaxMs, retryBaseMs * 2 ** Math.min(tries - 1, 30));
  return Math.round(full * (0.5 + random() / 2));
}
