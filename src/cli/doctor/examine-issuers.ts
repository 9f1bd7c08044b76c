import { randomBytes } from 'node:crypto';
import { Introspection } from '../../auth/oidc/introspection.js';
import { readIssuerDocument } from '../../auth/oidc/issuer-documents.js';
import { IssuerHttp } from '../../auth/oidc/issuer-http.js';
import { readKeys } from '../../auth/oidc/issuer-keys.js';
import type { IntrospectionConfig, OidcIssuer } from '../../config/oidc.types.js';
import { reasonOf } from '../../config/reason-of.js';
import type { Finding } from '../../redis/doctor/finding.js';

/** Whether each issuer of access tokens says who it is, gives keys, and answers about tokens. */
export async function examineIssuers(issuers: readonly OidcIssuer[]): Promise<Finding[]> {
  const findings = await Promise.all(issuers.map(examine));
  return findings.flat();
}

async function examine(issuer: OidcIssuer): Promise<Finding[]> {
  const http = new IssuerHttp(issuer);
  try {
    return [
      await found(issuer, 'discovery', async () => {
        await readIssuerDocument(issuer, http);
        return 'its document is its own';
      }),
      await found(issuer, 'keys', () => judgeKeys(issuer, http)),
      ...(issuer.introspection === undefined
        ? []
        : [await examineIntrospection(issuer, issuer.introspection, http)]),
    ];
  } finally {
    await http.close();
  }
}

/** The keys that tokens can be checked with, by what is accepted here. */
async function judgeKeys(issuer: OidcIssuer, http: IssuerHttp): Promise<string> {
  const { keys } = (await readKeys(issuer, http)).jwks();
  const usable = keys.filter(
    ({ alg, use, kty }) =>
      (use === undefined || use === 'sig') &&
      kty !== 'oct' &&
      (alg === undefined || issuer.algorithms.includes(alg)),
  );
  if (usable.length === 0) throw new Error('no key of it is of an algorithm that is accepted here');
  return `${usable.length} of ${keys.length} key(s) can be used`;
}

async function examineIntrospection(
  issuer: OidcIssuer,
  config: IntrospectionConfig,
  http: IssuerHttp,
): Promise<Finding> {
  return found(issuer, 'introspection', async () => {
    const nobody = randomBytes(32).toString('base64url');
    const { active } = await new Introspection(issuer, config, http).ask(nobody);
    if (active !== false) throw new Error('it does not say that a token it never made is inactive');
    return 'it answers, and takes the client’s secret';
  });
}

async function found(
  { issuer }: OidcIssuer,
  check: string,
  look: () => Promise<string>,
): Promise<Finding> {
  try {
    return { check, where: issuer, level: 'ok', text: await look() };
  } catch (error) {
    const text = reasonOf(error);
    return { check, where: issuer, level: 'error', text };
  }
}
