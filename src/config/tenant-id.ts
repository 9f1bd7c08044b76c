/** Words that stand, or may one day stand, in a path where a tenant's id could (design section 2). */
const RESERVED: ReadonlySet<string> = new Set([
  'admin',
  'agent',
  'artifacts',
  'card',
  'contexts',
  'extendedagentcard',
  'files',
  'health',
  'livez',
  'mcp',
  'message',
  'metrics',
  'pushnotificationconfigs',
  'readyz',
  'rpc',
  'tasks',
  'v0',
  'v03',
  'v1',
  'v2',
  'well-known',
]);

const PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** What is wrong with a tenant id, as the end of a sentence that starts with the place. */
export function tenantIdFault(id: string): string | undefined {
  if (!PATTERN.test(id)) {
    return 'must be 1 to 63 characters of a-z, 0-9 and -, and not start with -';
  }
  return RESERVED.has(id) ? `must not be '${id}': the word is reserved` : undefined;
}
