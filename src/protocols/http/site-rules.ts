import { bracketed } from '../../config/authority.js';
import type { GatewayConfig } from '../../config/config.types.js';

/** What of the configuration says under which names the gateway is reached, and from which pages. */
export type SiteConfig = Pick<
  GatewayConfig,
  'publicUrl' | 'allowedHosts' | 'allowedOrigins' | 'listen'
>;

const AUTHORITY = /^(?:[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

const MOST_KNOWN = 1000;

/**
 * Which Host and Origin headers are let in. They keep pages that a user has open from reaching a
 * gateway beside him: under DNS rebinding a foreign page calls a loopback address by a name of its
 * own, which is seen by Host alone (seed-behaviours S20, S21; MCP transports, "Security warning").
 */
export class SiteRules {
  private readonly publicUrl: URL | undefined;
  private readonly hosts: ReadonlySet<string>;
  private readonly origins: ReadonlySet<string>;
  private readonly loopback: boolean;
  /** Nearly every request names the same few hosts. */
  private readonly known = new Map<string, boolean>();

  constructor({ publicUrl, allowedHosts = [], allowedOrigins = [], listen }: SiteConfig) {
    this.publicUrl = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
    this.origins = new Set(allowedOrigins.map((origin) => new URL(origin).origin));
    this.loopback = isLoopback(bracketed(listen.host));
  }

  /**
   * True for any Host of a listener that others can reach and that nobody has given a name. Else it
   * must be `publicUrl`'s, one of `allowedHosts` (without a port there: on any), or, on a loopback
   * listener, a loopback name or address on any port.
   */
  hostAllowed(host: string | undefined): boolean {
    const named = this.publicUrl !== undefined || this.hosts.size > 0;
    if (!named && !this.loopback) return true;
    const known = host === undefined ? undefined : this.known.get(host);
    if (known !== undefined) return known;
    const allowed = this.isAllowed(host);
    // Only what is let in: the names of a flood of wrong ones are not kept.
    if (allowed && host !== undefined) {
      if (this.known.size >= MOST_KNOWN) this.known.clear();
      this.known.set(host, true);
    }
    return allowed;
  }

  private isAllowed(host: string | undefined): boolean {
    const called = authorityOf('http:', host);
    if (called === undefined) return false;
    if (this.loopback && isLoopback(called.hostname)) return true;
    if (this.hosts.has(called.hostname) || this.hosts.has(host?.toLowerCase() ?? '')) return true;
    const { publicUrl } = this;
    return (
      publicUrl !== undefined && publicUrl.host === authorityOf(publicUrl.protocol, host)?.host
    );
  }

  /**
   * True for the page's own gateway (`publicUrl`, or the Host that it called, which is allowed
   * already) and for `allowedOrigins`; a scheme or port apart is another origin.
   */
  originAllowed(origin: string, host: string | undefined): boolean {
    const from = /^https?:\/\/[^/]+$/i.test(origin) && URL.canParse(origin) && new URL(origin);
    if (from === false) return false;
    if (this.origins.has(from.origin) || this.publicUrl?.origin === from.origin) return true;
    // Over publicUrl's own name only its own scheme counts.
    if (this.publicUrl?.hostname === from.hostname) return false;
    if (this.loopback && !isLoopback(from.hostname) && !this.hosts.has(from.hostname)) return false;
    return from.host === authorityOf(from.protocol, host)?.host;
  }
}

/** Host and port as a URL has them: lower case, without the scheme's own port. */
function authorityOf(protocol: string, host: string | undefined): URL | undefined {
  if (host === undefined || !AUTHORITY.test(host)) return undefined;
  const url = `${protocol}//${host}`;
  return URL.canParse(url) ? new URL(url) : undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
