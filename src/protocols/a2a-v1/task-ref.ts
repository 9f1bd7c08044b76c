/** A task's id and the custom method behind it, as in `tasks/4711:cancel` (AIP-136). */
export interface TaskRef<Verb extends string> {
  readonly id: string;
  readonly verb: Verb | undefined;
}

/**
 * Splits at the last colon, since the router cannot: `:id:cancel` is one parameter to it. What
 * follows the colon is a verb only when it is one of `verbs`; else it belongs to the id.
 */
export function splitTaskRef<Verb extends string>(
  ref: string,
  verbs: readonly Verb[],
): TaskRef<Verb> {
  const colon = ref.lastIndexOf(':');
  const verb = verbs.find((one) => one === ref.slice(colon + 1));
  if (colon === -1 || verb === undefined) return { id: ref, verb: undefined };
  return { id: ref.slice(0, colon), verb };
}
