/** A host and its port. */
export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** What a Redis address says, taken apart. */
export type RedisAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | ({ readonly kind: 'single'; readonly tls: boolean; readonly db: number } & RedisNode & Login)
  | ({
      readonly kind: 'sentinel';
      readonly tls: boolean;
      /** The Sentinels, not the Redis servers. */
      readonly nodes: readonly RedisNode[];
      /** The name under which the Sentinels watch the master. */
      readonly master: string;
    } & Login)
  | ({
      readonly kind: 'cluster';
      readonly tls: boolean;
      /** Some of the nodes: the others are found through them. */
      readonly nodes: readonly RedisNode[];
    } & Login);

const WRONG =
  'must be redis://, rediss://, unix:///path, redis+sentinel://host:port,…/master or redis+cluster://host:port,… (rediss+… for TLS)';
const SINGLE = ['redis:', 'rediss:'];
/** WHATWG URLs know no list of hosts. */
const MANY =
  /^(rediss?)\+(sentinel|cluster):\/\/(?:(?<login>[^@/]*)@)?(?<hosts>[^@/?#]+)(?:\/(?<master>[^/?#\s]*))?$/;
const PORTS = { redis: 6379, sentinel: 26_379 } as const;

/** @returns undefined for what is no address. */
export function parseRedisUrl(value: string): RedisAddress | undefined {
  const many = MANY.exec(value);
  if (many !== null) return parseMany(many);
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (url.protocol === 'unix:') {
    if (url.host !== '' || url.pathname.length < 2) return undefined;
    return { kind: 'socket', path: decodeURIComponent(url.pathname) };
  }
  if (!SINGLE.includes(url.protocol) || url.hostname === '') return undefined;
  const db = url.pathname.replace(/^\//, '') || '0';
  if (!/^\d{1,5}$/.test(db)) return undefined;
  return {
    kind: 'single',
    tls: url.protocol === 'rediss:',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? PORTS.redis : Number(url.port),
    db: Number(db),
    ...loginOf(`${url.username}:${url.password}`),
  };
}

/** What is wrong with a Redis address, as the end of a sentence. */
export function redisUrlFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return WRONG;
  const address = parseRedisUrl(value);
  if (address === undefined) return WRONG;
  if (address.kind === 'sentinel' && address.master === '') {
    return 'must end with the name of the master that the Sentinels watch, e.g. /mymaster';
  }
  return undefined;
}

/** True for an address that holds a password, which belongs in a secret, not into a file. */
export function hasPassword(value: string): boolean {
  const address = parseRedisUrl(value);
  return address !== undefined && 'password' in address && address.password !== undefined;
}

/** The address without its password, for a log or a terminal. */
export function redactedRedisUrl(value: string): string {
  if (!hasPassword(value)) return value;
  return value.replace(/^([a-z+]+:\/\/[^:@/]*):[^@]*@/, '$1:redacted@');
}

function parseMany(match: RegExpExecArray): RedisAddress | undefined {
  const [, scheme, kind] = match;
  const { login = '', hosts = '', master } = match.groups ?? {};
  const nodes = hosts.split(',').map((host) => parseNode(host, kind));
  if (!nodes.every((node) => node !== undefined)) return undefined;
  const shared = { tls: scheme === 'rediss', nodes, ...loginOf(login) };
  if (kind === 'sentinel') return { kind, ...shared, master: master ?? '' };
  return master === undefined || master === '' ? { kind: 'cluster', ...shared } : undefined;
}

function parseNode(text: string, kind: string | undefined): RedisNode | undefined {
  const [, host, port] = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined) return undefined;
  const number = Number(port ?? (kind === 'sentinel' ? PORTS.sentinel : PORTS.redis));
  if (number < 1 || number > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: number };
}

/** `user:password`, each percent-encoded; either may be missing. */
function loginOf(text: string): Login {
  const colon = text.indexOf(':');
  const [user, password] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  return { username: decoded(user), password: decoded(password) };
}

function decoded(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
