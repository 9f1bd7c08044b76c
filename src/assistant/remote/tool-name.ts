import { createHash } from 'node:crypto';
import type { Redactor } from '../llm/redactor.js';

/** What models and MCP clients take as the name of a tool. */
const MOST_CHARS = 64;

/**
 * Names of the tools of one remote: `<remote>__<id>`, cleaned to `[A-Za-z0-9_-]{1,64}`. One that had
 * to be cut, of which nothing is left, or that another id was cleaned to as well ends with a hash of
 * its id; so a name never depends on the order of the ids. An id that comes twice counts once. Secrets
 * in an id are left out of the name.
 */
export function toolNames(
  remote: string,
  ids: readonly string[],
  redactor: Redactor,
): ReadonlyMap<string, string> {
  const plain = new Map<string, string[]>();
  for (const id of new Set(ids)) {
    const cleaned = redactor.hide(id).replace(/[^A-Za-z0-9_-]+/g, '_');
    plain.set(cleaned, [...(plain.get(cleaned) ?? []), id]);
  }
  const names = new Map<string, string>();
  for (const [cleaned, of] of plain) {
    for (const id of of) {
      const name = `${remote}__${cleaned}`;
      const isOwn = id === cleaned || of.length === 1;
      const isPlain = /[A-Za-z0-9]/.test(cleaned) && isOwn && name.length <= MOST_CHARS;
      names.set(id, isPlain ? name : hashed(name, id));
    }
  }
  return names;
}

function hashed(name: string, id: string): string {
  const hash = createHash('sha256').update(id).digest('hex').slice(0, 8);
  const plain = name.slice(0, MOST_CHARS - hash.length - 1).replace(/_+$/, '');
  return plain.includes('__') ? `${plain}_${hash}` : `${plain}__${hash}`;
}
