import { Agent, request } from 'undici';
import type { RunbooksConfig } from '../../config/config.types.js';
import { causesOf } from '../../outbound/causes.js';
import { guardedLookup, UrlGuard, UrlRefused } from '../../outbound/url-guard.js';
import { htmlText } from './html-text.js';

/** Of a page, as it comes; what is longer is cut off. */
const MOST_BYTES = 1024 * 1024;
/** Of a body that nobody reads, before the connection is cut. */
const REST_BYTES = 16 * 1024;

export interface Runbook {
  /** Empty where the page has none. */
  readonly title: string;
  readonly text: string;
  /** The page is longer than what was read. */
  readonly cut: boolean;
}

/** Why a page was not read. */
export type PageFault =
  | { readonly kind: 'closed' | 'redirect' | 'no_text' | 'late' | 'unreachable' }
  | { readonly kind: 'http'; readonly status: number }
  /** In the words of the guard against addresses inside. */
  | { readonly kind: 'refused'; readonly text: string };

/** There is no text; the message says why, for the caller, in English; `fault` for other languages. */
export class RunbookError extends Error {
  constructor(
    readonly fault: PageFault,
    options?: ErrorOptions,
  ) {
    super(pageText(fault), options);
  }
}

/** A page's fault in English. */
export function pageText(fault: PageFault): string {
  switch (fault.kind) {
    case 'closed':
      return 'pages of that host are not read here; the tenant’s runbooks.hosts name those that are';
    case 'redirect':
      return 'the page redirects elsewhere, which is not followed';
    case 'http':
      return `the page answered HTTP ${String(fault.status)}`;
    case 'no_text':
      return 'the page is no text';
    case 'refused':
      return `the ${fault.text}`;
    case 'late':
      return 'the page did not answer in time';
    case 'unreachable':
      return 'the page could not be reached';
  }
}

/**
 * Reads the pages that alerts link to, of the hosts that a tenant's config names and of no other: no
 * redirect is followed, and no address inside is reached that is not opened by name.
 */
export class Runbooks {
  private readonly guard: UrlGuard;
  private readonly agent: Agent;

  constructor(private readonly config: RunbooksConfig) {
    const { allowHttp, allowPrivate, timeoutMs } = config;
    this.guard = new UrlGuard({ allowHttp, allowPrivate });
    this.agent = new Agent({
      connect: { lookup: guardedLookup(this.guard), timeout: timeoutMs },
      connections: 4,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
    });
  }

  /** May a page at this URL be read, if an alert links to it? @param url as the alert has it. */
  covers(url: string): boolean {
    return URL.canParse(url) && isListed(new URL(url).hostname, this.config.hosts);
  }

  /**
   * May it be read whoever asks? At the port that the config names with the host, else at that of the
   * scheme: what listens at another port of that machine is no page that anybody has opened.
   */
  isOpen(url: string): boolean {
    if (!URL.canParse(url)) return false;
    const { hostname, port, protocol } = new URL(url);
    const usual = protocol === 'https:' ? '443' : '80';
    return this.config.hosts.some((entry) => {
      const [host = '', at] = entry.split(':');
      return (at ?? usual) === (port === '' ? usual : port) && isListed(hostname, [host]);
    });
  }

  /** @throws RunbookError; the signal's reason. */
  async read(url: string, signal: AbortSignal): Promise<Runbook> {
    signal.throwIfAborted();
    if (!this.covers(url)) {
      throw new RunbookError({ kind: 'closed' });
    }
    const bound = AbortSignal.any([signal, AbortSignal.timeout(this.config.timeoutMs)]);
    try {
      // What stands behind # is for a browser.
      const address = this.guard.parse(url.replace(/#.*$/su, ''));
      const { statusCode, headers, body } = await request(address, {
        dispatcher: this.agent,
        signal: bound,
        headers: {
          accept: 'text/markdown, text/plain, text/html;q=0.9',
          'user-agent': 'nightjar',
          // Credentials are for the place that was configured, not for what an alert says.
          ...(this.isOpen(url) ? this.config.headers : {}),
        },
      });
      if (statusCode !== 200) {
        await body.dump({ limit: REST_BYTES }).catch(() => undefined);
        throw new RunbookError(
          statusCode >= 300 && statusCode < 400
            ? { kind: 'redirect' }
            : { kind: 'http', status: statusCode },
        );
      }
      const type = /^[^;\s]*/.exec(String(headers['content-type'] ?? ''))?.[0].toLowerCase() ?? '';
      if (!/^(?:text\/|application\/xhtml\+xml$)/.test(type)) {
        await body.dump({ limit: REST_BYTES }).catch(() => undefined);
        throw new RunbookError({ kind: 'no_text' });
      }
      const { bytes, cut } = await start(body);
      return { ...readable(bytes.toString('utf8'), type), cut };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RunbookError) throw error;
      throw new RunbookError(reasonOf(error, bound.aborted), { cause: error });
    }
  }

  close(): Promise<void> {
    return this.agent.destroy();
  }
}

/** `wiki.example.com` itself, or any name below `*.example.com`. */
function isListed(host: string, hosts: readonly string[]): boolean {
  return hosts
    .map((entry) => entry.split(':')[0] ?? '')
    .some((one) => (one.startsWith('*.') ? host.endsWith(one.slice(1)) : host === one));
}

async function start(body: AsyncIterable<Buffer>): Promise<{ bytes: Buffer; cut: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    // Leaving the loop destroys the body.
    if (size > MOST_BYTES) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, MOST_BYTES), cut: size > MOST_BYTES };
}

function readable(text: string, type: string): Pick<Runbook, 'title' | 'text'> {
  if (type !== 'text/html' && type !== 'application/xhtml+xml') return { title: '', text };
  return htmlText(text);
}

/** Without the address: it may be one inside. */
function reasonOf(error: unknown, late: boolean): PageFault {
  const refused = causesOf(error).find((one) => one instanceof UrlRefused);
  if (refused !== undefined) return { kind: 'refused', text: refused.message };
  return { kind: late ? 'late' : 'unreachable' };
}
