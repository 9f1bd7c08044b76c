/**
 * Every secret that a request presents, each once: in the configured header and as
 * `Authorization: Bearer`. Read from the raw header list, because Node keeps only the first of two
 * Authorization headers and joins two of another name. An Authorization of another scheme (a
 * proxy's Basic) is not ours to judge.
 */
export function presentedSecrets(rawHeaders: readonly string[], headerName: string): string[] {
  const wanted = headerName.toLowerCase();
  const secrets = new Set<string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase();
    const value = rawHeaders[at + 1] ?? '';
    const secret = name === wanted ? value : name === 'authorization' ? bearerSecret(value) : '';
    if (secret !== undefined && secret !== '') secrets.add(secret);
  }
  return [...secrets];
}

/** The secret of an Authorization header's value, if its scheme is Bearer (RFC 6750, any case). */
export function bearerSecret(value: string | undefined): string | undefined {
  return /^bearer +(\S.*)$/i.exec(value ?? '')?.[1]?.trimEnd();
}
