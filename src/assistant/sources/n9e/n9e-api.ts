import { cleanText } from '../clean-text.js';
import { asDocument, asList, type Document, ShapeError } from '../shape.js';
import { SourceError } from '../source-error.js';
import type { SourceCalls, SourceWrite } from '../source-http.js';
import type { SourceInfo } from '../source.types.js';

const PAGE = 500;
/** A group with more of one kind than that is cut; the answer says so by its total. */
const MOST_PAGES = 10;

export type Params = Readonly<Record<string, string>>;

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
  async pages(path: string, params: Params, signal: AbortSignal): Promise<readonly Document[]> {
    const all: Document[] = [];
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const paged = { ...params, limit: String(PAGE), p: String(page) };
      const list = await this.get(path, paged, readList, signal);
      all.push(...list);
      if (list.length < PAGE) break;
    }
    return all;
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

function readList(dat: unknown): readonly Document[] {
  if (dat === undefined || dat === null) return [];
  return asList(asDocument(dat, 'dat')['list'], 'list').map((item) => asDocument(item, 'item'));
}
