const SCHEMES = ['redis:', 'rediss:', 'unix:'];
const WRONG = 'must be redis://, rediss:// or unix:///path';

/** What is wrong with a Redis address, as the end of a sentence. */
export function redisUrlFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || !URL.canParse(value)) return WRONG;
  const url = new URL(value);
  if (!SCHEMES.includes(url.protocol)) return WRONG;
  if (url.protocol === 'unix:') {
    return url.host === '' && url.pathname.length > 1 ? undefined : WRONG;
  }
  return url.hostname === '' ? WRONG : undefined;
}

/** True for an address that holds a password, which belongs in a secret, not into a file. */
export function hasPassword(value: string): boolean {
  return URL.canParse(value) && new URL(value).password !== '';
}

/** The address without its password, for a log or a terminal. */
export function redactedRedisUrl(value: string): string {
  if (!hasPassword(value)) return value;
  const url = new URL(value);
  url.password = 'redacted';
  return url.href;
}
