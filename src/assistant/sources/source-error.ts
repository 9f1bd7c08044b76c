import type { SourceInfo } from './source-info.js';

/** What went wrong at a source, in terms a user understands. */
export type SourceFault =
  | { readonly kind: 'timeout'; readonly seconds: number }
  /** `code` as Node names it, e.g. ECONNREFUSED. */
  | { readonly kind: 'unreachable'; readonly code: string }
  | { readonly kind: 'http'; readonly status: number }
  | { readonly kind: 'redirect'; readonly status: number }
  | { readonly kind: 'not_json' }
  | { readonly kind: 'unexpected'; readonly what: string }
  | { readonly kind: 'too_big'; readonly bytes: number }
  /** No failure of its own: it has more than is read at once. `total` is absent where it does not tell. */
  | { readonly kind: 'cut'; readonly read: number; readonly total?: number }
  /** The source understood and refused; `text` are its own words, cleaned and cut. */
  | { readonly kind: 'refused'; readonly text: string };

/**
 * A source failed. The message is written for the user in English and holds the source's name, no
 * address and no credential; `fault` is there for other languages.
 */
export class SourceError extends Error {
  /** It failed when it was asked whether it is there, before anything was sent. */
  readonly unsent: boolean;

  constructor(
    readonly source: SourceInfo,
    readonly fault: SourceFault,
    options?: ErrorOptions & { readonly unsent?: true },
  ) {
    super(`${titleOf(source)} ${describe(fault)}`, options);
    this.unsent = options?.unsent === true;
    this.name = 'SourceError';
  }
}

/** Errors of the time before the first byte of a request could be sent. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Has a write that failed like this certainly changed nothing? */
export function isUndone({ fault, unsent }: SourceError): boolean {
  if (unsent) return true;
  switch (fault.kind) {
    case 'refused':
    case 'redirect':
      return true;
    case 'http':
      return fault.status < 500;
    case 'unreachable':
      return UNSENT.has(fault.code);
    case 'timeout':
    case 'not_json':
    case 'unexpected':
    case 'too_big':
    case 'cut':
      return false;
  }
}

/** Has a request that failed like this surely not reached the server? */
export function isUnsent({ fault }: SourceError): boolean {
  return fault.kind === 'unreachable' && UNSENT.has(fault.code);
}

/** `Alertmanager at prod-am`. */
export function titleOf(source: SourceInfo): string {
  const TITLES = {
    alertmanager: 'Alertmanager',
    prometheus: 'Prometheus',
    n9e: 'n9e',
    demo: 'The demo source',
  };
  return `${TITLES[source.type]} at ${source.name}`;
}

function describe(fault: SourceFault): string {
  switch (fault.kind) {
    case 'timeout':
      return `did not answer in ${String(fault.seconds)} s`;
    case 'unreachable':
      return `could not be reached (${fault.code})`;
    case 'http':
      return fault.status === 401 || fault.status === 403
        ? `refused the gateway's credentials (HTTP ${String(fault.status)})`
        : `answered HTTP ${String(fault.status)}`;
    case 'redirect':
      return `answered with a redirect (HTTP ${String(fault.status)}), which is not followed`;
    case 'not_json':
      return 'answered something that is not JSON';
    case 'unexpected':
      return `answered JSON of an unexpected shape (${fault.what})`;
    case 'too_big':
      return `sent more than the ${String(fault.bytes)} bytes allowed`;
    case 'cut':
      return fault.total === undefined
        ? `has more than the ${String(fault.read)} that were read; the rest was left out`
        : `has ${String(fault.total)}, of which ${String(fault.total - fault.read)} were not read and are left out`;
    case 'refused':
      return `refused the request: ${fault.text}`;
  }
}
