import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressRange, isInRange, isPublicAddress, rangeOf } from './addresses.js';

const URL_CHARACTERS = 2048;
const LOOKUP_MS = 3000;
/** Names of this machine and this network, whatever they resolve to (RFC 6761, 6762, 8375, 9476). */
const LOCAL_NAMES =
  /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa|alt|onion)$/;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** What is let through beyond https to public addresses. */
export interface UrlPolicy {
  readonly allowHttp: boolean;
  /** Host names and CIDRs that may be reached although they are not public. */
  readonly allowPrivate: readonly string[];
}
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

/** Why a URL is refused: a text for whoever wrote it, which ends a sentence starting with `url`. */
export class UrlRefused extends Error {
  constructor(readonly reason: string) {
    super(`url ${reason}`);
    this.name = 'UrlRefused';
  }
}

const NOT_PUBLIC = 'must be at a public address';

/**
 * Where URLs of others may lead (webhooks, what an issuer's documents name): nothing inside, however
 * it is written. A URL is checked when it is registered and again at each connection, whose address is the one that was checked: the name is
 * resolved here once and the socket connects to what came out (no second look-up, no rebinding).
 */
export class UrlGuard {
  private readonly names: ReadonlySet<string>;
  private readonly ranges: readonly AddressRange[];

  constructor(
    private readonly settings: UrlPolicy,
    private readonly resolveName: Resolve = (host) => lookup(host, { all: true, verbatim: true }),
  ) {
    const isRange = (entry: string): boolean => isIP(entry.split('/')[0] ?? '') !== 0;
    this.ranges = settings.allowPrivate.filter(isRange).map(rangeOf);
    this.names = new Set(settings.allowPrivate.filter((entry) => !isRange(entry)));
  }

  /**
   * What can be said without a look-up.
   * @throws UrlRefused
   */
  parse(text: string): URL {
    if (text.length > URL_CHARACTERS) {
      throw new UrlRefused(`must not be longer than ${URL_CHARACTERS} characters`);
    }
    // The parser drops tabs and line ends and reads a backslash as a slash: what was checked would
    // not be what stands there.
    if (!/^[\x21-\x7e]+$/.test(text) || text.includes('\\') || !URL.canParse(text)) {
      throw new UrlRefused('must be an absolute URL of printable ASCII');
    }
    const url = new URL(text);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && this.settings.allowHttp)) {
      throw new UrlRefused(`must be https${this.settings.allowHttp ? ' or http' : ''}`);
    }
    const authority = /^[a-z]+:\/\/([^/?#]*)/i.exec(text)?.[1] ?? '';
    // The parser would take what follows for the host: https:/a, https:///a.
    if (authority === '') throw new UrlRefused('must have its host after two slashes');
    if (authority.includes('@')) throw new UrlRefused('must not hold a user or a password');
    if (url.hash !== '' || text.includes('#')) throw new UrlRefused('must not hold a fragment');
    this.checkHost(url.hostname, authority);
    return url;
  }

  /**
   * The same, and where the name leads now. A name that does not resolve passes: it is looked up
   * again at each delivery, which then fails.
   * @throws UrlRefused
   */
  async check(text: string): Promise<URL> {
    const url = this.parse(text);
    if (addressIn(url.hostname) !== undefined) return url;
    try {
      await this.resolve(url.hostname);
    } catch (error) {
      if (error instanceof UrlRefused) throw error;
    }
    return url;
  }

  /**
   * The addresses that a host may be connected at.
   * @throws UrlRefused when one of them is not public; Error when there is none.
   */
  async resolve(host: string): Promise<readonly ResolvedAddress[]> {
    const literal = addressIn(host);
    const found =
      literal === undefined
        ? await inTime(this.resolveName(host))
        : [{ address: literal, family: isIP(literal) }];
    if (found.length === 0) throw new Error('the name has no address');
    if (this.names.has(bare(host))) return found;
    // All of them: whoever controls a name could else have us try until the private one is taken.
    if (!found.every(({ address }) => this.permits(address))) throw new UrlRefused(NOT_PUBLIC);
    return found;
  }

  private checkHost(hostname: string, authority: string): void {
    const literal = addressIn(hostname);
    if (literal !== undefined) {
      // 0x7f.1, 2130706433 and 0177.0.0.1 all become 127.0.0.1: only the plain form is taken.
      const written = authority.replace(/:\d*$/, '').toLowerCase();
      if (isIP(literal) === 4 && written !== literal) {
        throw new UrlRefused('must write an IPv4 address as four decimal numbers');
      }
      if (!this.permits(literal)) throw new UrlRefused(NOT_PUBLIC);
      return;
    }
    const name = bare(hostname);
    if (this.names.has(name)) return;
    if (!name.includes('.') || LOCAL_NAMES.test(name)) {
      throw new UrlRefused('must name a host of the public internet');
    }
  }

  private permits(address: string): boolean {
    return isPublicAddress(address) || this.ranges.some((range) => isInRange(address, range));
  }
}

/** For an agent's connector: resolves once and hands the socket what was checked. */
export function guardedLookup(guard: UrlGuard): LookupFunction {
  return (hostname, options, callback) => {
    guard.resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), '');
      },
    );
  };
}

/** A URL's host as `allowPrivate` names it: an address without brackets, a name without the last dot. */
export function hostIn(url: string): string {
  const { hostname } = new URL(url);
  return addressIn(hostname) ?? bare(hostname);
}

/** The IP address that a URL's hostname is, without brackets. */
function addressIn(hostname: string): string | undefined {
  const text = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(text) === 0 ? undefined : text;
}

/** `localhost.` is `localhost`. */
function bare(hostname: string): string {
  return hostname.toLowerCase().replace(/\.+$/, '');
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error('the name was not resolved in time'));
    }, LOOKUP_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
