import { CliError, EXIT } from './exit-code.js';

export interface GuardedFetchOptions {
  /** The origin that the user named; a card may not send the token anywhere else. */
  readonly origin: string;
  /** Allows other origins: the user trusts the card. */
  readonly followCard: boolean;
  readonly token: string | undefined;
  /** `authorization` for a bearer token, else the header that holds the bare token. */
  readonly tokenHeader: string;
}

/**
 * The fetch that everything goes through: it keeps to the origin, follows no redirect, adds the
 * token, and turns what the A2A SDK would wrap in words of its own into a CliError: no connection,
 * 401, 403 and 503.
 */
export function guardedFetch(options: GuardedFetchOptions): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, { ...init, redirect: 'manual' });
    const { origin } = new URL(request.url);
    if (origin !== options.origin && !options.followCard) {
      throw new CliError(
        EXIT.refused,
        `The agent card names ${origin}, which is not ${options.origin}; --follow-card allows it`,
      );
    }
    if (options.token !== undefined) {
      const bearer = options.tokenHeader.toLowerCase() === 'authorization';
      request.headers.set(options.tokenHeader, bearer ? `Bearer ${options.token}` : options.token);
    }
    const response = await connect(request);
    if (response.status >= 300 && response.status < 400) {
      throw new CliError(
        EXIT.refused,
        `${request.url} redirects (${response.status}); not followed`,
      );
    }
    const code = EXIT_OF_STATUS[response.status];
    if (code === undefined) return response;
    throw new CliError(code, `${await reasonOf(response)} (HTTP ${response.status})`);
  };
}

const EXIT_OF_STATUS: Readonly<Record<number, typeof EXIT.auth | typeof EXIT.unreachable>> = {
  401: EXIT.auth,
  403: EXIT.auth,
  502: EXIT.unreachable,
  503: EXIT.unreachable,
  504: EXIT.unreachable,
};

async function connect(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (request.signal.aborted) throw error;
    const cause = error instanceof Error ? error.cause : undefined;
    const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
    throw new CliError(EXIT.unreachable, `Cannot reach ${new URL(request.url).origin}${why}`, {
      cause: error,
    });
  }
}

/** The sentence in an error body of JSON-RPC or AIP-193, else the status in words. */
async function reasonOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { error?: { message?: unknown } };
    if (typeof body.error?.message === 'string') return body.error.message;
  } catch {
    // Not JSON: a proxy's page, which says less than its status.
  }
  return response.statusText === '' ? 'The server refused' : response.statusText;
}
