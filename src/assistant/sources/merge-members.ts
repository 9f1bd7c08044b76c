import type { Alert, AlertGroup, Silence } from './source.types.js';

/** Each alert once: members of a cluster fingerprint the same labels alike. */
export function mergeAlerts(lists: readonly (readonly Alert[])[]): readonly Alert[] {
  return merge(
    lists,
    ({ fingerprint }) => fingerprint,
    (a, b) => ({
      ...a,
      // A member that has just been told of a silence is ahead of the other.
      state: a.state === 'suppressed' || b.state === 'suppressed' ? 'suppressed' : a.state,
      startsAt: Math.min(a.startsAt, b.startsAt),
      silencedBy: union(a.silencedBy, b.silencedBy),
      inhibitedBy: union(a.inhibitedBy, b.inhibitedBy),
      receivers: union(a.receivers, b.receivers),
    }),
  );
}

const STATES: readonly Silence['state'][] = ['pending', 'active', 'expired'];

/** Each silence once, as the member knows it that is furthest: one that was ended stays ended. */
export function mergeSilences(lists: readonly (readonly Silence[])[]): readonly Silence[] {
  return merge(
    lists,
    ({ id }) => id,
    (a, b) => (STATES.indexOf(b.state) > STATES.indexOf(a.state) ? b : a),
  );
}

export function mergeGroups(lists: readonly (readonly AlertGroup[])[]): readonly AlertGroup[] {
  return merge(
    lists,
    ({ receiver, labels }) => JSON.stringify([receiver, Object.entries(labels).sort()]),
    (a, b) => ({ ...a, fingerprints: union(a.fingerprints, b.fingerprints) }),
  );
}

function merge<T>(
  lists: readonly (readonly T[])[],
  keyOf: (item: T) => string,
  join: (a: T, b: T) => T,
): readonly T[] {
  const [only, ...others] = lists;
  if (only !== undefined && others.length === 0) return only;
  const merged = new Map<string, T>();
  for (const item of lists.flat()) {
    const key = keyOf(item);
    const known = merged.get(key);
    merged.set(key, known === undefined ? item : join(known, item));
  }
  return [...merged.values()];
}

function union(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])];
}
