import { createHash } from 'node:crypto';
import type { LabelSet } from './source.types.js';

/** 16 hex digits, the same for the same labels, for sources that send none of their own. */
export function fingerprintOf(labels: LabelSet): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return createHash('sha256').update(JSON.stringify(pairs)).digest('hex').slice(0, 16);
}
