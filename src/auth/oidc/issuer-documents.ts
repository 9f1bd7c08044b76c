import type { OidcIssuer } from '../../config/oidc.types.js';
import { IssuerFault, type IssuerHttp, type JsonDocument } from './issuer-http.js';

/** What an issuer says of itself that we use. */
export interface IssuerDocument {
  readonly jwksUri?: string;
  readonly introspectionUrl?: string;
}

/** Where a client finds an issuer's document (OpenID Connect Discovery 1.0 section 4). */
export function openIdConfigurationUrl({ issuer, discoveryUrl }: OidcIssuer): string {
  return discoveryUrl ?? `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}

/**
 * Reads the issuer's document: OpenID Connect's, else the one of RFC 8414, whose path comes before
 * the issuer's own.
 * @throws IssuerFault also when the document is another issuer's (RFC 8414 section 3.3).
 */
export async function readIssuerDocument(
  issuer: OidcIssuer,
  http: IssuerHttp,
): Promise<IssuerDocument> {
  const { document, url } = await find(issuer, http);
  if (document['issuer'] !== issuer.issuer) {
    throw new IssuerFault(url, `the document is of another issuer than ${issuer.issuer}`);
  }
  const jwksUri = document['jwks_uri'];
  const introspectionUrl = document['introspection_endpoint'];
  return {
    ...(typeof jwksUri === 'string' ? { jwksUri } : {}),
    ...(typeof introspectionUrl === 'string' ? { introspectionUrl } : {}),
  };
}

async function find(
  issuer: OidcIssuer,
  http: IssuerHttp,
): Promise<{ readonly document: JsonDocument; readonly url: string }> {
  const url = openIdConfigurationUrl(issuer);
  try {
    return { document: await http.get(url), url };
  } catch (error) {
    const isMissing = error instanceof IssuerFault && error.status === 404;
    if (!isMissing || issuer.discoveryUrl !== undefined) throw error;
    const { origin, pathname } = new URL(issuer.issuer);
    const other = `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, '')}`;
    return { document: await http.get(other), url: other };
  }
}
