import { cleanText } from '../clean-text.js';
import { asDocument, asList, type Document, ShapeError } from '../shape.js';
import { SourceError } from '../source-error.js';
import type { SourceCalls, SourceWrite } from '../source-http.js';
import type { SourceInfo } from '../source-info.js';

const PAGE = 500;
/** Beyond it the rest is left out, and `Pages` says so. */
const MOST_PAGES = 10;

export type Params = Readonly<Record<string, string>>;

/** Rows of a `{list, total}`. */
export interface Pages {
  readonly rows: readonly Document[];
  /** There are more than were read. */
  readonly isCut: boolean;
  /** How many there are, as n9e says: it keeps that for two minutes, so what was read goes before. */
  readonly total: number;
}

/**
 * n9e's HTTP API below /api/n9e. It answers 200 for much that failed: business errors stand in `err`
 * of the envelope, and an unknown path is the HTML of its pages (which is no JSON, and said so).
 */
export class N9eApi {
  constructor(
    private readonly info: SourceInfo,
    private readonly http: SourceCalls,
  ) {}

  get<T>(path: string, params: Params, read: (dat: unknown) => T, signal: AbortSignal): Promise<T> {
    return this.http.get(`/api/n9e${path}`, params, (body) => read(this.unwrap(body)), signal);
  }

  /** A query, which is a POST there. */
  ask<T>(path: string, body: unknown, read: (dat: unknown) => T, signal: AbortSignal): Promise<T> {
    return this.http.ask(`/api/n9e${path}`, body, (answer) => read(this.unwrap(answer)), signal);
  }

  /** Sends a change, once. */
  write<T>(
    method: SourceWrite['method'],
    path: string,
    body: unknown,
    read: (dat: unknown) => T,
  ): Promise<T> {
    const write = { method, path: `/api/n9e${path}`, body };
    return this.http.write(write, (answer) => read(this.unwrap(answer)));
  }

  /** All pages of a `{list, total}`, up to a bound. */
  async pages(path: string, params: Params, signal: AbortSignal): Promise<Pages> {
    const rows: Document[] = [];
    let total = 0;
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const paged = { ...params, limit: String(PAGE), p: String(page) };
      const part = await this.get(path, paged, readPage, signal);
      rows.push(...part.list);
      total = part.total;
      if (part.list.length < PAGE) return { rows, isCut: false, total: rows.length };
    }
    return { rows, isCut: total !== rows.length, total };
  }

  private unwrap(body: unknown): unknown {
    const envelope = asDocument(body, 'answer');
    const { err } = envelope;
    if (typeof err === 'string' && err !== '') {
      // Its way to say that there is nothing.
      if (/^no data$/i.test(err.trim())) return undefined;
      throw new SourceError(this.info, { kind: 'refused', text: cleanText(err, 300) });
    }
    if (!('dat' in envelope) && !('err' in envelope)) throw new ShapeError('there is no dat');
    return envelope['dat'];
  }
}

function readPage(dat: unknown): { readonly list: readonly Document[]; readonly total: number } {
  if (dat === undefined || dat === null) return { list: [], total: 0 };
  const { list, total } = asDocument(dat, 'dat');
  return {
    list: asList(list, 'list').map((item) => asDocument(item, 'item')),
    total: Number(total),
  };
}
