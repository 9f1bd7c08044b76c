/**
 * What a look at one thing has found. `warning`: it works, and an outage may cost more than it needs
 * to. `error`: the gateway would not start, or would lose work. `unknown`: there was no right to look.
 */
export interface Finding {
  readonly check: string;
  /** Which server, tenant or source. */
  readonly where: string;
  readonly level: 'ok' | 'warning' | 'error' | 'unknown';
  /** One sentence for the operator. */
  readonly text: string;
}

/** The lines `name:value` of INFO and CLUSTER INFO. */
export function parseInfo(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(/\r?\n/).flatMap((line) => {
      const colon = line.indexOf(':');
      return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)] as const];
    }),
  );
}

/** `[name, value, name, value, …]`, as CONFIG GET and SENTINEL answer. */
export function parsePairs(reply: unknown): ReadonlyMap<string, string> {
  if (typeof reply !== 'object' || reply === null) return new Map();
  if (!Array.isArray(reply)) {
    return new Map(Object.entries(reply).map(([name, value]) => [name, String(value)]));
  }
  const flat = reply.map(String);
  return new Map(
    flat.flatMap((name, i) => (i % 2 === 0 ? [[name, flat[i + 1] ?? ''] as const] : [])),
  );
}
