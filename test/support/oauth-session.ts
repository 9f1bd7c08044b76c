import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { logIn } from './authorization-server.js';

/** What an MCP client keeps of one user's authorization, as the SDKs want it; nothing is known before. */
export class OAuthSession implements OAuthClientProvider {
  readonly redirectUrl = 'http://localhost:9/callback';
  /** Where the user was sent, once it has been. */
  authorizationUrl: URL | undefined;
  private information: OAuthClientInformationMixed | undefined;
  private saved: OAuthTokens | undefined;
  private verifier = '';

  constructor(private readonly account: string) {}

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'a test',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  /** The access token. @throws Error before there is one. */
  get token(): string {
    if (this.saved === undefined) throw new Error('there is no token yet');
    return this.saved.access_token;
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.information;
  }

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information;
  }

  tokens(): OAuthTokens | undefined {
    return this.saved;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.saved = tokens;
  }

  redirectToAuthorization(authorizationUrl: URL): void {
    this.authorizationUrl = authorizationUrl;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  /** The user's part, in a browser. @returns what the client finds in the address it leads back to. */
  async logIn(): Promise<URLSearchParams> {
    if (this.authorizationUrl === undefined) throw new Error('nobody has been sent to a login');
    const answer = await logIn(this.authorizationUrl, this.account);
    if (answer.get('code') === null) throw new Error(`no code: ${answer.toString()}`);
    return answer;
  }

  /** A token for a resource, from its URL alone; a refreshed one when there is one already. */
  async authorize(serverUrl: string, scope?: string): Promise<string> {
    const options = { serverUrl, ...(scope === undefined ? {} : { scope }) };
    if ((await auth(this, options)) === 'REDIRECT') {
      const authorizationCode = (await this.logIn()).get('code') ?? '';
      await auth(this, { ...options, authorizationCode });
    }
    return this.token;
  }
}
