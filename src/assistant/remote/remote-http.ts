import type { RemoteHttpConfig } from '../../config/config.types.js';
import { DEPTH_HEADER } from '../../domain/agent-depth.js';
import { authorizationOf } from '../../outbound/authorization.js';
import { causesOf } from '../../outbound/causes.js';
import { guardedLookup, hostIn, UrlGuard, UrlRefused } from '../../outbound/url-guard.js';
import { WatchedFetch } from '../../outbound/watched-fetch.js';
import { cleanText } from '../sources/clean-text.js';
import { RemoteError } from './remote-error.js';

const CONNECT_MS = 10_000;
/** Of an error document, whose words are shown. */
const WORDS = 300;
const ERROR_CHARS = 64 * 1024;

/** Statuses that are about the connection or the credentials, never about what was asked. */
function isOfTransport(status: number): boolean {
  return status === 401 || status === 403 || status === 407 || status === 429 || status >= 502;
}

/**
 * The only way to a remote over HTTP: pinned to the origin of its configured URL, to addresses that
 * the guard allows, with the configured credentials and nothing of the caller's. Redirects are not
 * followed; time and size are bounded. Every failure is a RemoteError.
 */
export class RemoteHttp {
  private readonly guard: UrlGuard;
  private readonly watched: WatchedFetch;
  private readonly origin: string;
  private readonly credentials: Readonly<Record<string, string>>;

  constructor(
    private readonly name: string,
    config: RemoteHttpConfig & { readonly silenceMs: number },
  ) {
    this.origin = new URL(config.url).origin;
    this.guard = new UrlGuard({
      allowHttp: config.allowPrivate,
      allowPrivate: config.allowPrivate ? [hostIn(config.url)] : [],
    });
    this.watched = new WatchedFetch({
      connectMs: Math.min(CONNECT_MS, config.silenceMs),
      lookup: guardedLookup(this.guard),
      silenceMs: config.silenceMs,
      maxBytes: config.maxBytes,
      fault: (kind) =>
        new RemoteError(
          name,
          kind === 'silent'
            ? { kind, seconds: config.silenceMs / 1000 }
            : { kind, bytes: config.maxBytes },
        ),
    });
    this.credentials = credentialsOf(config);
  }

  /**
   * A fetch for the SDKs.
   * @param depth how many agents will have called each other with this request.
   * @throws RemoteError; the signal's reason when that aborts.
   */
  fetchAt(depth: number): typeof fetch {
    return async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      this.check(url);
      const headers = new Headers(init?.headers);
      for (const [name, value] of Object.entries(this.credentials)) headers.set(name, value);
      headers.set(DEPTH_HEADER, String(depth));
      let response: Response;
      try {
        response = await this.watched.fetch(url, { ...init, headers });
      } catch (error) {
        init?.signal?.throwIfAborted();
        throw this.failure(error);
      }
      const { status } = response;
      if (status >= 300 && status < 400 && status !== 304) {
        await response.body?.cancel();
        throw new RemoteError(this.name, { kind: 'redirect', status });
      }
      if (isOfTransport(status)) throw await this.refusal(response);
      return response;
    };
  }

  async close(): Promise<void> {
    await this.watched.close();
  }

  /** An error of a library in our own terms. */
  failure(error: unknown): RemoteError {
    const found = causesOf(error);
    const own = found.find((one) => one instanceof RemoteError);
    if (own !== undefined) return own;
    const refused = found.find((one) => one instanceof UrlRefused);
    if (refused !== undefined) {
      return new RemoteError(this.name, { kind: 'blocked', why: refused.reason });
    }
    const code = found.map(codeOf).find((one) => one !== undefined) ?? 'connection failed';
    return new RemoteError(this.name, { kind: 'unreachable', code }, { cause: error });
  }

  /** @throws RemoteError */
  private check(url: URL): void {
    if (url.origin !== this.origin) throw new RemoteError(this.name, { kind: 'origin' });
    try {
      // A literal address is connected without a look-up, so it is judged here.
      this.guard.parse(url.href);
    } catch (error) {
      throw this.failure(error);
    }
  }

  private async refusal(response: Response): Promise<RemoteError> {
    const { status } = response;
    const words = await wordsOf(response);
    if (words === undefined || status === 401 || status === 403) {
      return new RemoteError(this.name, { kind: 'http', status });
    }
    return new RemoteError(this.name, {
      kind: 'refused',
      text: `${words} (HTTP ${String(status)})`,
    });
  }
}

/** The sentence in an error body of JSON-RPC or AIP-193. */
async function wordsOf(response: Response): Promise<string | undefined> {
  try {
    const text = (await response.text()).slice(0, ERROR_CHARS);
    const body = JSON.parse(text) as { error?: { message?: unknown } } | null;
    const message = body?.error?.message;
    return typeof message === 'string' ? cleanText(message, WORDS) : undefined;
  } catch {
    return undefined;
  }
}

function credentialsOf({ auth, headers }: RemoteHttpConfig): Readonly<Record<string, string>> {
  return auth === undefined ? headers : { ...headers, authorization: authorizationOf(auth) };
}

function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && code !== '' ? code : undefined;
}
