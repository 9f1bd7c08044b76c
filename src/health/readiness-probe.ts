/**
 * Asks whether the instance could do its work right now: a real append to a log and a real
 * subscription in Redis (a user without channel rights stores but never announces: only trying
 * shows it). Resolves when both worked.
 * @throws Error with a text for the operator, within 5 s at most.
 */
export interface ReadinessProbe {
  probe(): Promise<void>;
}
export const ReadinessProbe = Symbol('ReadinessProbe');
