/** What the gateway knows about the names under which it is reached. */
export interface OriginRules {
  /** Configured public address; its host is always allowed. */
  readonly publicUrl: string | undefined;
  /** The address the listener is bound to. */
  readonly listenHost: string;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a browser page of this origin may call the endpoint (MCP transports, "Security warning").
 * No Origin header: not a browser, allowed. Otherwise its host must be the public one or the one
 * that was called. On a loopback listener it must besides be a loopback name: under DNS rebinding
 * a foreign page's Origin and Host agree.
 */
export function originAllowed(
  origin: string | undefined,
  host: string | undefined,
  rules: OriginRules,
): boolean {
  if (origin === undefined) return true;
  const from = hostOf(origin);
  if (from === undefined) return false;
  if (rules.publicUrl !== undefined && from.host === hostOf(rules.publicUrl)?.host) return true;
  if (isLoopback(rules.listenHost) && !LOOPBACK.has(from.hostname)) return false;
  return host !== undefined && from.host === hostOf(`${from.protocol}//${host}`)?.host;
}

function hostOf(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return new URL(text);
}

function isLoopback(listenHost: string): boolean {
  return listenHost === '::1' || listenHost === 'localhost' || listenHost.startsWith('127.');
}
