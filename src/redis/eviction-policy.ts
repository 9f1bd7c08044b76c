/** From the parsed INFO memory; CONFIG may be forbidden by a managed Redis. */
export function evictionPolicyOf(info: ReadonlyMap<string, string>): string {
  return info.get('maxmemory_policy') ?? 'noeviction';
}
