/** Where something listens. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Host and port as they stand in a URL. */
export function authorityOf({ host, port }: Endpoint): string {
  return `${bracketed(host)}:${port}`;
}

/** A host as it stands in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Where a client on this machine finds a listener that may be bound to every address. */
export function localAuthorityOf({ host, port }: Endpoint): string {
  const own = host === '::' ? '::1' : host === '0.0.0.0' ? '127.0.0.1' : host;
  return authorityOf({ host: own, port });
}
