/** Host and port as they stand in a URL. */
export function authorityOf({
  host,
  port,
}: {
  readonly host: string;
  readonly port: number;
}): string {
  return `${bracketed(host)}:${port}`;
}

/** A host as it stands in a URL: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
