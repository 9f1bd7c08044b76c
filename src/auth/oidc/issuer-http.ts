import { Agent, request } from 'undici';
import type { OidcIssuer } from '../../config/oidc.types.js';
import { guardedLookup, hostIn, UrlGuard } from '../../outbound/url-guard.js';

const TIMEOUT_MS = 5000;
const MOST_BYTES = 512 * 1024;
const CONNECTIONS = 16;

export type JsonDocument = Readonly<Record<string, unknown>>;

/** What an issuer answered that is of no use; `status` is there when it was an HTTP status. */
export class IssuerFault extends Error {
  constructor(
    readonly url: string,
    text: string,
    readonly status?: number,
    cause?: unknown,
  ) {
    super(`${url}: ${text}`, cause === undefined ? undefined : { cause });
    this.name = 'IssuerFault';
  }
}

/**
 * Asks one issuer for JSON documents: bounded in time and size, no redirect followed, and only where
 * the configuration leads: the hosts that it names, `allowPrivate`, and public addresses. A document
 * of the issuer cannot send us anywhere else inside.
 */
export class IssuerHttp {
  private readonly guard: UrlGuard;
  private readonly agent: Agent;

  constructor(issuer: OidcIssuer) {
    const { allowHttp, allowPrivate, introspection } = issuer;
    const named = [issuer.issuer, issuer.discoveryUrl, issuer.jwksUri, introspection?.url];
    const hosts = named.flatMap((url) => (url === undefined ? [] : [hostIn(url)]));
    this.guard = new UrlGuard({ allowHttp, allowPrivate: [...allowPrivate, ...hosts] });
    this.agent = new Agent({
      connections: CONNECTIONS,
      connect: { lookup: guardedLookup(this.guard), timeout: TIMEOUT_MS },
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
      allowH2: false,
    });
  }

  /** @throws IssuerFault */
  get(url: string): Promise<JsonDocument> {
    return this.ask(url, { method: 'GET' });
  }

  /** @throws IssuerFault */
  post(
    url: string,
    form: URLSearchParams,
    headers: Readonly<Record<string, string>>,
  ): Promise<JsonDocument> {
    return this.ask(url, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: form.toString(),
    });
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async ask(
    url: string,
    call: {
      readonly method: 'GET' | 'POST';
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    },
  ): Promise<JsonDocument> {
    let status: number;
    let text = '';
    try {
      const answer = await request(this.guard.parse(url), {
        ...call,
        dispatcher: this.agent,
        headers: { accept: 'application/json', 'user-agent': 'nightjar', ...call.headers },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = answer.statusCode;
      for await (const chunk of answer.body.setEncoding('utf8')) {
        text += String(chunk);
        // Leaving the loop destroys the body, and with it the connection.
        if (text.length > MOST_BYTES) break;
      }
    } catch (error) {
      throw new IssuerFault(url, reasonOf(error), undefined, error);
    }
    if (status !== 200) throw new IssuerFault(url, `answered HTTP ${String(status)}`, status);
    if (text.length > MOST_BYTES) throw new IssuerFault(url, 'the answer is too long');
    const document = parse(text);
    if (document === undefined) throw new IssuerFault(url, 'the answer is no JSON object');
    return document;
  }
}

function parse(text: string): JsonDocument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonDocument) : undefined;
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${String(TIMEOUT_MS / 1000)} s`;
  return error.message === '' ? error.name : error.message;
}
