import { z } from 'zod';

/** Where a page ends; a list that is read page by page says it beside its rows. */
export interface Page {
  /** Of all pages; where a source says that it left some out and there are conditions, of what was read. */
  readonly total: number;
  /** The `offset` of the page after this one. */
  readonly next_offset: number;
  readonly has_more: boolean;
}

/** The arguments of a list that is read page by page. */
export function pagingShape(limit: number, most = 100) {
  return {
    limit: z.int().min(1).max(most).default(limit),
    offset: z.int().min(0).max(1_000_000).default(0).describe('next_offset of the page before'),
  };
}

/**
 * The rows of one page of `found`, and where it ends.
 * @param leftOut so many more there are that were not read, so no page has them (`leftOutOf`).
 */
export function pageOf<T>(
  found: readonly T[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
  leftOut = 0,
): { readonly rows: readonly T[]; readonly page: Page } {
  const rows = found.slice(offset, offset + limit);
  const end = offset + rows.length;
  const page = { total: found.length + leftOut, next_offset: end, has_more: end < found.length };
  return { rows, page };
}
