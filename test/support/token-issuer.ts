import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** Answers in place of the issuer; true when it has. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * An authorization server of a test whose every byte the test decides: its document, its keys, its
 * answers about tokens, and tokens that no real one would make.
 */
export class TokenIssuer {
  /** Paths as they were asked for. */
  readonly asked: string[] = [];
  readonly faults = new Map<string, Fault>();
  /** What it says of opaque tokens. */
  readonly opaque = new Map<string, Record<string, unknown>>();
  /** Laid over its document. */
  document: Record<string, unknown> = {};
  /** The keys that it shows. */
  keys: JWK[] = [];
  private signing!: SigningKey;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TokenIssuer> {
    const server = createServer();
    const issuer = new TokenIssuer(server);
    server.on('request', (request, response) => {
      void issuer.answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await issuer.rotate();
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Signs with a new key from now on, and shows only that. */
  async rotate(alg = 'ES256'): Promise<void> {
    this.signing = await newKey(alg);
    this.keys = [this.signing.jwk];
  }

  get kid(): string {
    return this.signing.kid;
  }

  /** An access token for an hour; what is undefined in `claims` or `header` is left out. */
  async token(
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
    key?: CryptoKey | Uint8Array,
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000);
    const all = {
      iss: this.url,
      sub: 'ann',
      aud: 'https://nightjar.example.com',
      iat: now,
      exp: now + 3600,
      client_id: 'cli',
      scope: 'a2a mcp',
      ...claims,
    };
    const { alg, kid, privateKey } = this.signing;
    return new SignJWT(present(all))
      .setProtectedHeader(present({ alg, kid, typ: 'at+jwt', ...header }) as { alg: string })
      .sign(key ?? privateKey);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    this.asked.push(path);
    const fault = this.faults.get(path) ?? this.faults.get('*');
    if (fault !== undefined) {
      fault(request, response);
      return;
    }
    const answer = await this.answerTo(path, request);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  }

  private async answerTo(path: string, request: IncomingMessage): Promise<unknown> {
    switch (path) {
      case '/.well-known/openid-configuration':
        return {
          issuer: this.url,
          jwks_uri: `${this.url}/jwks`,
          introspection_endpoint: `${this.url}/introspect`,
          ...this.document,
        };
      case '/jwks':
        return { keys: this.keys };
      case '/introspect': {
        const form = new URLSearchParams(await textOf(request));
        return this.opaque.get(form.get('token') ?? '') ?? { active: false };
      }
      default:
        return undefined;
    }
  }
}

async function newKey(alg: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const kid = Math.random().toString(36).slice(2);
  const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' };
  return { kid, alg, privateKey, jwk };
}

function present(entries: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== undefined));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
