/** URIs of the A2A extensions that this gateway activates on request; none yet. */
export const SUPPORTED_EXTENSIONS: readonly string[] = [];

const MAX_REQUESTED = 32;

/**
 * Which of the extensions that a caller lists in `A2A-Extensions` (0.3: `X-A2A-Extensions`) are
 * active for the call: the answer's header names them. Unknown ones are ignored (spec 4.6).
 */
export function activatedExtensions(
  header: string | readonly string[] | undefined,
  supported: readonly string[] = SUPPORTED_EXTENSIONS,
): readonly string[] {
  const requested = String(header ?? '')
    .split(',', MAX_REQUESTED)
    .map((uri) => uri.trim());
  return supported.filter((uri) => requested.includes(uri));
}
