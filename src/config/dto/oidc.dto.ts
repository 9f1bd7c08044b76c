import { IsOptional, ValidateIf } from 'class-validator';
import { scopesFault, TOKEN_SCOPES } from '../token-scopes.js';
import { ASYMMETRIC_ALGORITHMS } from '../oidc.types.js';
import { Check, Flag, hostsFault, HttpUrl, List, OneOf, Section, Text, Whole } from './rules.js';
import { Secret, SecretRefDto } from './secret-ref.dto.js';

class TenantClaimDto {
  @ValidateIf((of: TenantClaimDto) => of.claim === undefined)
  @Text(63)
  value?: string;

  @ValidateIf((of: TenantClaimDto) => of.value === undefined)
  @Check('claim', claimFault)
  claim?: string | string[];

  @IsOptional()
  @Check('map', (value) => mapFault(value, (to) => typeof to === 'string' && to !== ''))
  map?: Record<string, string>;
}

class ScopesClaimDto {
  @IsOptional()
  @Check('scopes', tenantScopesFault)
  value?: string[];

  @IsOptional()
  @Check('claim', claimFault)
  claim?: string | string[];

  @IsOptional()
  @Check('map', (value) => mapFault(value, (to) => tenantScopesFault(to) === undefined))
  map?: Record<string, string[]>;

  @IsOptional()
  @Check('requestAs', (value) => mapFault(value, isScopeToken))
  requestAs?: Record<string, string>;
}

class ClaimsDto {
  @Section(() => TenantClaimDto)
  tenant?: TenantClaimDto;

  @IsOptional()
  @Check('claim', claimFault)
  user?: string | string[];

  @IsOptional()
  @Check('userPrefix', (value) =>
    typeof value === 'string' && /^[^\p{C}\s]{0,64}$/u.test(value)
      ? undefined
      : 'must be up to 64 characters without spaces and control characters',
  )
  userPrefix?: string;

  @Section(() => ScopesClaimDto)
  scopes?: ScopesClaimDto;
}

class IntrospectionDto {
  @IsOptional()
  @HttpUrl()
  url?: string;

  @Text(256)
  clientId!: string;

  @Secret()
  clientSecret!: SecretRefDto;

  @IsOptional()
  @OneOf(['opaque', 'all'])
  tokens?: 'opaque' | 'all';

  @Whole(1, 300)
  cacheSeconds?: number;
}

export class OidcIssuerDto {
  @HttpUrl()
  issuer!: string;

  @IsOptional()
  @Check('audiences', (value) =>
    Array.isArray(value) && value.length > 0 && value.every((one) => isText(one, 512))
      ? undefined
      : 'must be a list of texts',
  )
  audiences?: string[];

  @IsOptional()
  @HttpUrl()
  discoveryUrl?: string;

  @IsOptional()
  @HttpUrl()
  jwksUri?: string;

  @IsOptional()
  @Check('algorithms', (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((one) => (ASYMMETRIC_ALGORITHMS as readonly unknown[]).includes(one))
      ? undefined
      : `must be a list of ${ASYMMETRIC_ALGORITHMS.join(', ')}`,
  )
  algorithms?: string[];

  @Flag()
  requireTyp?: boolean;

  @Whole(0, 300)
  clockSkewSeconds?: number;

  @Flag()
  allowHttp?: boolean;

  @IsOptional()
  @Check('hosts', hostsFault)
  allowPrivate?: string[];

  @Section(() => ClaimsDto)
  claims?: ClaimsDto;

  @Section(() => IntrospectionDto)
  introspection?: IntrospectionDto;
}

/** An optional list of issuers. */
export const OidcIssuers = (): PropertyDecorator => List(() => OidcIssuerDto);

/** A claim by its name, or by its path from the outside in: names may hold dots and slashes. */
function claimFault(value: unknown): string | undefined {
  const path = Array.isArray(value) && value.length > 0 && value.length <= 8 ? value : [value];
  return path.every((name) => isText(name, 256))
    ? undefined
    : 'must be the name of a claim, or a list of names: the path to it';
}

/** Admin tokens are Nightjar's own. */
function tenantScopesFault(value: unknown): string | undefined {
  const isAdmin = Array.isArray(value) && value.includes('admin');
  return isAdmin || scopesFault(value) !== undefined
    ? `must be a list of ${TOKEN_SCOPES.join(', ')}`
    : undefined;
}

function mapFault(value: unknown, fine: (to: unknown) => boolean): string | undefined {
  const ok =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).length > 0 &&
    Object.values(value).every(fine);
  return ok ? undefined : 'must be a mapping from what an issuer says to what it stands for here';
}

/** RFC 6749 section 3.3. */
function isScopeToken(value: unknown): boolean {
  return typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(value);
}

function isText(value: unknown, max: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= max;
}
