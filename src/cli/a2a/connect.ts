import type { AgentInterface } from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { Agent, setGlobalDispatcher } from 'undici';
import { CliError, EXIT } from './exit-code.js';
import { guardedFetch } from './guarded-fetch.js';
import { RESUME, resumingFetch } from './resuming-fetch.js';
import { StreamPlace } from './stream-place.js';

export interface ConnectOptions {
  /** Base URL of the server, or the URL of its agent card. */
  readonly server: string;
  readonly token: string | undefined;
  readonly transport: 'rest' | 'jsonrpc' | undefined;
  readonly protocol: '1.0' | '0.3';
  readonly followCard: boolean;
  /** Called when a broken stream could not be taken up at once. */
  readonly onRetry: (taskId: string) => void;
}

export interface Connection {
  readonly client: Client;
  /** Where the newest stream has come to. */
  readonly place: StreamPlace;
}

const BINDING = { rest: 'HTTP+JSON', jsonrpc: 'JSONRPC' } as const;
const CARD_PATH = '.well-known/agent-card.json';

/** The agent card as the server sends it. @throws CliError when there is none. */
export async function fetchCard(
  options: Pick<ConnectOptions, 'server' | 'followCard'>,
): Promise<unknown> {
  const server = parseServer(options.server);
  const url = server.pathname.endsWith('.json') ? server : new URL(CARD_PATH, withSlash(server));
  const get = guardedFetch({ ...options, origin: url.origin, token: undefined, tokenHeader: '' });
  const response = await get(url, { headers: { 'A2A-Version': '1.0' } });
  if (!response.ok) {
    throw new CliError(EXIT.refused, `No agent card at ${url.href} (HTTP ${response.status})`);
  }
  try {
    return await response.json();
  } catch {
    throw new CliError(EXIT.refused, `What ${url.href} serves is not JSON`);
  }
}

/** A client of the interface of the card that the options ask for. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  waitForSlowAnswers();
  const legacyCompat = { enabled: true };
  const resolver = new DefaultAgentCardResolver({ legacyCompat });
  const card = resolver.normalizeAgentCard(await fetchCard(options));
  const binding = options.transport === undefined ? undefined : BINDING[options.transport];
  const supportedInterfaces = interfacesOf(card).filter(
    (offered) =>
      (binding === undefined || offered.protocolBinding.toUpperCase() === binding) &&
      Object.values<string>(BINDING).includes(offered.protocolBinding.toUpperCase()) &&
      offered.protocolVersion.startsWith(options.protocol) &&
      // 0.3 over REST: no deployed server speaks it.
      (options.protocol === '1.0' || offered.protocolBinding.toUpperCase() === BINDING.jsonrpc),
  );
  if (supportedInterfaces.length === 0) {
    const asked = [options.transport, options.protocol].filter((word) => word !== undefined);
    throw new CliError(EXIT.refused, `The agent card offers no interface for ${asked.join(' ')}`);
  }
  const place = new StreamPlace();
  const guarded = guardedFetch({
    origin: parseServer(options.server).origin,
    followCard: options.followCard,
    token: options.token,
    tokenHeader: tokenHeaderOf(card),
  });
  const fetchImpl = resumingFetch(guarded, place, { ...RESUME, onRetry: options.onRetry });
  const factory = new ClientFactory({
    transports: [
      new RestTransportFactory({ fetchImpl }),
      new JsonRpcTransportFactory({ fetchImpl, legacyCompat }),
    ],
    cardResolver: resolver,
  });
  return {
    client: await factory.createFromAgentCard({
      ...card,
      supportedInterfaces: [...supportedInterfaces],
    }),
    place,
  };
}

/** The SDK passes a card without security schemes on as it came, so the list may be missing. */
function interfacesOf(card: {
  readonly supportedInterfaces?: readonly AgentInterface[];
}): readonly AgentInterface[] {
  return card.supportedInterfaces ?? [];
}

/** The header of the card's API key scheme; without one a bearer token. */
function tokenHeaderOf(card: {
  readonly securitySchemes?: Readonly<
    Record<string, { scheme?: { $case: string; value: object } | undefined }>
  >;
}): string {
  for (const { scheme } of Object.values(card.securitySchemes ?? {})) {
    if (scheme?.$case !== 'apiKeySecurityScheme') continue;
    const { location, name } = scheme.value as { location?: string; name?: string };
    if (location === 'header' && name !== undefined && name !== '') return name;
  }
  return 'authorization';
}

function parseServer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CliError(EXIT.usage, `--server must be an http or https URL, not "${text}"`);
  }
  return url;
}

function withSlash(url: URL): string {
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

/** Node's fetch gives up on a response after 300 s; a blocking send may take 600. */
function waitForSlowAnswers(): void {
  setGlobalDispatcher(new Agent({ headersTimeout: 0, bodyTimeout: 0 }));
}
