import type { GatewayDto } from './dto/gateway.dto.js';
import type { OidcIssuerDto } from './dto/oidc.dto.js';
import type { Faults } from './faults.js';
import { ASYMMETRIC_ALGORITHMS, type ClaimMapping, type OidcIssuer } from './oidc.types.js';
import type { SecretReader } from './secrets.js';
import { tenantIdFault } from './tenant-id.js';
import { TOKEN_SCOPES } from './token-scopes.js';

type Scopes = ClaimMapping['scopes'];
/** n9e's users are `n9e-…`. */
const N9E_PREFIX = 'n9e-';

interface Context {
  readonly tenants: ReadonlySet<string>;
  readonly secrets: SecretReader;
  readonly faults: Faults;
}

/** The issuers of `auth.oidc`, and the checks that span several of their keys. */
export function buildOidc(dto: GatewayDto, context: Context): OidcIssuer[] {
  const { faults } = context;
  const list = dto.auth?.oidc;
  if (!Array.isArray(list) || faults.has('auth.oidc')) return [];
  const issuers = list.map((one, index) =>
    buildIssuer(one, `auth.oidc[${index}]`, dto.publicUrl, context),
  );
  checkTogether(issuers, dto, faults);
  return issuers;
}

function buildIssuer(
  dto: OidcIssuerDto,
  place: string,
  publicUrl: unknown,
  context: Context,
): OidcIssuer {
  const { secrets, faults } = context;
  const resource = typeof publicUrl === 'string' ? publicUrl.replace(/\/+$/, '') : undefined;
  if (dto.audiences === undefined && resource === undefined) {
    faults.add(`${place}.audiences`, 'must be set where publicUrl is not');
  }
  const allowHttp = dto.allowHttp ?? false;
  for (const key of ['issuer', 'discoveryUrl', 'jwksUri'] as const) {
    if (!allowHttp && dto[key]?.startsWith('http:') === true) {
      faults.add(`${place}.${key}`, 'must be https unless allowHttp is true');
    }
  }
  const url = dto.introspection?.url;
  if (!allowHttp && url?.startsWith('http:') === true) {
    faults.add(`${place}.introspection.url`, 'must be https unless allowHttp is true');
  }
  return {
    issuer: dto.issuer,
    audiences: dto.audiences ?? [],
    ...(resource === undefined ? {} : { resource }),
    ...(dto.discoveryUrl === undefined ? {} : { discoveryUrl: dto.discoveryUrl }),
    ...(dto.jwksUri === undefined ? {} : { jwksUri: dto.jwksUri }),
    algorithms: dto.algorithms ?? ASYMMETRIC_ALGORITHMS,
    requireTyp: dto.requireTyp ?? false,
    clockSkewSeconds: dto.clockSkewSeconds ?? 30,
    allowHttp,
    allowPrivate: dto.allowPrivate ?? [],
    claims: {
      tenant: tenantOf(dto, `${place}.claims.tenant`, context),
      user: pathOf(dto.claims?.user ?? 'sub'),
      userPrefix: dto.claims?.userPrefix ?? 'oidc-',
      scopes: scopesOf(dto, `${place}.claims.scopes`, faults),
    },
    ...introspectionOf(dto, `${place}.introspection`, secrets),
  };
}

function tenantOf(
  { claims }: OidcIssuerDto,
  place: string,
  { tenants, faults }: Context,
): ClaimMapping['tenant'] {
  const { value, claim, map } = claims?.tenant ?? {};
  if (claim === undefined) {
    if (value === undefined) faults.add(place, 'must have a value or a claim');
    else if (!tenants.has(value)) faults.add(`${place}.value`, 'is not a configured tenant');
    if (map !== undefined) faults.add(`${place}.map`, 'must be beside a claim');
    return { value: value ?? '' };
  }
  if (value !== undefined) faults.add(place, 'must have one of value and claim');
  for (const id of Object.values(map ?? {})) {
    const fault = tenantIdFault(id);
    if (fault !== undefined) faults.add(`${place}.map`, `must lead to tenants: an id ${fault}`);
  }
  return { claim: pathOf(claim), ...(map === undefined ? {} : { map }) };
}

function scopesOf({ claims }: OidcIssuerDto, place: string, faults: Faults): Scopes {
  const { value = [], claim, map, requestAs = {} } = claims?.scopes ?? {};
  const known: readonly string[] = TOKEN_SCOPES;
  if (Object.keys(requestAs).some((name) => !known.includes(name))) {
    faults.add(`${place}.requestAs`, `must have only ${known.join(', ')} as keys`);
  }
  // Without a word about it, a token says what it is for.
  const source = claim ?? (value.length === 0 ? 'scope' : undefined);
  if (source === undefined && map !== undefined) {
    faults.add(`${place}.map`, 'must be beside a claim');
  }
  return {
    value: value as Scopes['value'],
    ...(source === undefined ? {} : { claim: pathOf(source) }),
    ...(map === undefined ? {} : { map: map as NonNullable<Scopes['map']> }),
    requestAs,
  };
}

function introspectionOf(
  { introspection }: OidcIssuerDto,
  place: string,
  secrets: SecretReader,
): Pick<OidcIssuer, 'introspection'> {
  if (introspection === undefined) return {};
  const { url, clientId, clientSecret, tokens, cacheSeconds } = introspection;
  return {
    introspection: {
      ...(url === undefined ? {} : { url }),
      clientId,
      clientSecret: secrets.read(clientSecret, `${place}.clientSecret`),
      tokens: tokens ?? 'opaque',
      cacheSeconds: cacheSeconds ?? 30,
    },
  };
}

function checkTogether(issuers: readonly OidcIssuer[], dto: GatewayDto, faults: Faults): void {
  issuers.forEach(({ issuer, claims: { userPrefix } }, index) => {
    const place = `auth.oidc[${index}]`;
    const others = issuers.filter((_, at) => at !== index);
    if (issuers.findIndex((other) => other.issuer === issuer) !== index) {
      faults.add(`${place}.issuer`, 'is there twice');
    }
    // One prefix that another starts with would let a user of the one be named like one of the other.
    if (others.some(({ claims }) => claims.userPrefix.startsWith(userPrefix))) {
      faults.add(`${place}.claims.userPrefix`, 'must not be the beginning of another issuer’s');
    }
    if (userPrefix !== '' && N9E_PREFIX.startsWith(userPrefix)) {
      faults.add(`${place}.claims.userPrefix`, `must not be the beginning of ${N9E_PREFIX}`);
    }
    if (userPrefix.startsWith(N9E_PREFIX)) {
      faults.add(`${place}.claims.userPrefix`, `must not begin with ${N9E_PREFIX}`);
    }
  });
  const asking = issuers.filter(({ introspection }) => introspection !== undefined);
  if (asking.length > 1) {
    faults.add(
      'auth.oidc',
      'must have introspection at one issuer only: an opaque token names none',
    );
  }
  if (asking.length > 0 && dto.auth?.n9e !== undefined) {
    faults.add(
      'auth.n9e',
      'must not be beside introspection: a token would be shown to one that did not issue it',
    );
  }
}

function pathOf(claim: string | readonly string[]): readonly string[] {
  return typeof claim === 'string' ? [claim] : claim;
}
