/** What went wrong with a remote agent or MCP server. */
export type RemoteFault =
  /** The address is not one that may be called; `why` continues a sentence that begins with `url`. */
  | { readonly kind: 'blocked'; readonly why: string }
  /** Something it named lies at another origin than the configured one. */
  | { readonly kind: 'origin' }
  | { readonly kind: 'redirect'; readonly status: number }
  /** `code` as Node names it, e.g. ECONNREFUSED. */
  | { readonly kind: 'unreachable'; readonly code: string }
  | { readonly kind: 'silent'; readonly seconds: number }
  | { readonly kind: 'late'; readonly seconds: number }
  | { readonly kind: 'too_big'; readonly bytes: number }
  | { readonly kind: 'http'; readonly status: number }
  | { readonly kind: 'bad_card'; readonly what: string }
  | { readonly kind: 'bad_answer'; readonly what: string }
  /** It understood and refused; `text` are its own words, cleaned and cut, `reason` A2A's name for it. */
  | { readonly kind: 'refused'; readonly text: string; readonly reason?: string }
  /** So many agents have called each other already. */
  | { readonly kind: 'depth'; readonly depth: number };

/**
 * A call of a remote agent or MCP server failed. The message is written for the user in English: it
 * holds the configured name, no address and no credential.
 */
export class RemoteError extends Error {
  constructor(
    readonly remote: string,
    readonly fault: RemoteFault,
    options?: ErrorOptions,
  ) {
    super(`${remote} ${describe(fault)}`, options);
    this.name = 'RemoteError';
  }
}

/** Errors of the time before the first byte of a request could be sent. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Has a call that failed like this certainly set nothing in motion? */
export function isUndone({ fault }: RemoteError): boolean {
  switch (fault.kind) {
    case 'blocked':
    case 'origin':
    case 'redirect':
    case 'bad_card':
    case 'refused':
    case 'depth':
      return true;
    case 'http':
      return fault.status < 500;
    case 'unreachable':
      return UNSENT.has(fault.code);
    case 'silent':
    case 'late':
    case 'too_big':
    case 'bad_answer':
      return false;
  }
}

function describe(fault: RemoteFault): string {
  switch (fault.kind) {
    case 'blocked':
      return `was not called: its url ${fault.why}`;
    case 'origin':
      return 'was not called: its agent card names an address of another origin';
    case 'redirect':
      return `answered with a redirect (HTTP ${String(fault.status)}), which is not followed`;
    case 'unreachable':
      return `could not be reached (${fault.code})`;
    case 'silent':
      return `said nothing for ${String(fault.seconds)} s`;
    case 'late':
      return `did not finish within ${String(fault.seconds)} s`;
    case 'too_big':
      return `sent more than the ${String(fault.bytes)} bytes allowed`;
    case 'http':
      return fault.status === 401 || fault.status === 403
        ? `refused the gateway's credentials (HTTP ${String(fault.status)})`
        : `answered HTTP ${String(fault.status)}`;
    case 'bad_card':
      return `has no usable agent card (${fault.what})`;
    case 'bad_answer':
      return `answered something that cannot be read (${fault.what})`;
    case 'refused':
      return `refused: ${fault.text}`;
    case 'depth':
      return `was not called: agents have called each other ${String(fault.depth)} times already, which looks like a loop`;
  }
}
