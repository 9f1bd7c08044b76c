import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPair, exportJWK } from 'jose';
import Provider from 'oidc-provider';

/** Somebody who can log in: by name, without a password. */
export interface Account {
  readonly groups: readonly string[];
}

export interface ServerOptions {
  readonly accounts: Readonly<Record<string, Account>>;
}

const SCOPES = 'a2a mcp';
const TOKEN_SECONDS = 600;
/** A client that is there without a registration. */
const CLIENT = 'of-the-test';

/**
 * A real authorization server (oidc-provider) on loopback: discovery, dynamic registration, PKCE,
 * resource indicators with JWT access tokens of RFC 9068, refresh tokens. Whoever follows a login
 * says who they are by the header `x-login`, and consents to everything.
 */
export class AuthorizationServer {
  private constructor(
    private readonly server: Server,
    readonly issuer: string,
    readonly provider: Provider,
  ) {}

  static async start({ accounts }: ServerOptions): Promise<AuthorizationServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { privateKey } = await generateKeyPair('RS256', { extractable: true });
    const provider = new Provider(issuer, {
      jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'one', alg: 'RS256', use: 'sig' }] },
      cookies: { keys: ['of a test'] },
      clients: [
        {
          client_id: CLIENT,
          token_endpoint_auth_method: 'none',
          redirect_uris: ['http://localhost:9/callback'],
        },
      ],
      scopes: ['openid', 'offline_access', ...SCOPES.split(' ')],
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_ctx, resource) => ({
            scope: SCOPES,
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: TOKEN_SECONDS,
          }),
        },
      },
      issueRefreshToken: () => true,
      findAccount: (_ctx, id) =>
        id in accounts ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
      extraTokenClaims: (_ctx, token) =>
        'accountId' in token ? { groups: accounts[token.accountId]?.groups } : undefined,
      interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
      loadExistingGrant: async ({ oidc }) => {
        const { client, session, params } = oidc;
        const grant = new oidc.provider.Grant({
          clientId: client?.clientId,
          accountId: session?.accountId,
        });
        grant.addOIDCScope(`openid offline_access ${SCOPES}`);
        for (const resource of [params?.['resource']].flat()) {
          if (typeof resource === 'string') grant.addResourceScope(resource, SCOPES);
        }
        await grant.save();
        return grant;
      },
    });
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (request.url?.startsWith('/login/') !== true) {
        void answer(request, response);
        return;
      }
      const accountId = String(request.headers['x-login']);
      void provider.interactionFinished(request, response, { login: { accountId }, consent: {} });
    });
    return new AuthorizationServer(server, issuer, provider);
  }

  /** A token without a login, with any resource, scope and lifetime. */
  async tokenFor(
    accountId: string,
    resource: string,
    scope: string,
    seconds = TOKEN_SECONDS,
  ): Promise<string> {
    const { AccessToken, Client, ResourceServer } = this.provider;
    const client = await Client.find(CLIENT);
    if (client === undefined) throw new Error('bug: the client is not there');
    const token = new AccessToken({ accountId, client, scope, expiresIn: seconds } as never);
    const info = { scope, audience: resource, accessTokenFormat: 'jwt' } as const;
    token.resourceServer = new ResourceServer(resource, info);
    return token.save();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/**
 * Plays the browser of a user: follows the login until it leads back to the client.
 * @returns what the client finds in the address: `code`, `state` or `error`.
 */
export async function logIn(authorizationUrl: URL, account: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let at = authorizationUrl;
  for (let steps = 0; steps < 10; steps += 1) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: {
        'x-login': account,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    await response.arrayBuffer();
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) {
      throw new Error(`the login ended with HTTP ${response.status} at ${at.href}`);
    }
    at = new URL(location, at);
    if (at.origin !== authorizationUrl.origin) return at.searchParams;
  }
  throw new Error('the login did not end');
}
