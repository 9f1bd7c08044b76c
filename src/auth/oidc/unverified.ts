/** Longer than what fits into a request's header beside others. */
const MOST_CHARACTERS = 12 * 1024;
const JWS = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/;

/**
 * The `iss` that a JWT claims, unproven: it only chooses whose keys are asked. Undefined for what is
 * no JWT; '' for one that names nobody.
 */
export function claimedIssuer(secret: string): string | undefined {
  if (secret.length > MOST_CHARACTERS || !JWS.test(secret)) return undefined;
  const [head = '', body = ''] = secret.split('.');
  const header = parse(head);
  const claims = parse(body);
  if (header === undefined || claims === undefined || !('alg' in header)) return undefined;
  return typeof claims['iss'] === 'string' ? claims['iss'] : '';
}

function parse(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
