const MOST = 16;

/** An error, what caused it, and what it is made of (AggregateError): libraries wrap what we threw. */
export function causesOf(error: unknown): readonly object[] {
  const all: object[] = [];
  for (let at = error; typeof at === 'object' && at !== null && all.length < MOST;) {
    all.push(at);
    const { cause, errors } = at as { readonly cause?: unknown; readonly errors?: unknown };
    if (Array.isArray(errors)) all.push(...errors.filter((one) => one instanceof Error));
    at = cause;
  }
  return all;
}
