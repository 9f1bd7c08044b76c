import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SECURITY = readFileSync(join(import.meta.dirname, '../../docs/security.md'), 'utf8');

/** The words of `ACL SETUSER` that docs/security.md names, by what the block is for. */
export function documentedAcl(
  block: 'gateway' | 'cluster' | 'sentinel',
  password: string,
): string[] {
  const found = new RegExp(`<!-- acl: ${block} -->\\s*\`\`\`\\w*\\n([^]*?)\`\`\``).exec(
    SECURITY,
  )?.[1];
  if (found === undefined) throw new Error(`docs/security.md has no ACL for ${block}`);
  const words = found
    .replaceAll('\\\n', ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  return words
    .filter((word) => !['user', 'nightjar'].includes(word))
    .map((word) => (word.startsWith('>') ? `>${password}` : word));
}
