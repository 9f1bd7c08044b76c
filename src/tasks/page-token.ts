import { createHash } from 'node:crypto';
import { DomainError } from '../domain/errors.js';
import type { TaskQuery } from './task.types.js';

/** Where the next page begins: behind the last task of this one. */
export interface PagePosition {
  readonly score: string;
  readonly id: string;
}

/**
 * A token is bound to its filters. It holds no secret and proves nothing: it is read inside the
 * caller's own index only, so another user's token finds nothing there.
 */
export function formatPageToken(query: TaskQuery, position: PagePosition): string {
  return formatRowToken(position, filterOf(query));
}

/** The same for any list; `of` names the list and its filters. */
export function formatRowToken(position: PagePosition, of: string): string {
  return Buffer.from(JSON.stringify([of, position.score, position.id])).toString('base64url');
}

/** @throws DomainError INVALID_PARAMS for anything but a token of this very query. */
export function parsePageToken(query: TaskQuery, token: string): PagePosition {
  return parseRowToken(token, filterOf(query));
}

/** @throws DomainError INVALID_PARAMS for anything but a token of this very list. */
export function parseRowToken(token: string, of: string): PagePosition {
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
  } catch {
    throw invalid();
  }
  if (!Array.isArray(fields) || fields.length !== 3) throw invalid();
  const [filter, score, id] = fields as unknown[];
  if (filter !== of || typeof id !== 'string') throw invalid();
  if (typeof score !== 'string' || !/^\d{1,16}$/.test(score)) throw invalid();
  return { score, id };
}

function filterOf(query: TaskQuery): string {
  const filter = [query.contextId ?? null, query.state ?? null, query.changedSince ?? null];
  return createHash('sha256').update(JSON.stringify(filter)).digest('base64url').slice(0, 12);
}

function invalid(): DomainError {
  return new DomainError('INVALID_PARAMS', 'pageToken is not a token of this query');
}
