import { Controller, Get, HttpCode, Inject, Post, Query, Req } from '@nestjs/common';
import { ADMIN_SCOPE, DEFAULT_SCOPES, SYSTEM_TENANT } from '../auth/principal.js';
import { RequireScope } from '../auth/require-scope.decorator.js';
import { addressesFault, dateFault, labelFault, userFault } from '../config/dto/token.dto.js';
import { scopesFault } from '../config/token-scopes.js';
import type { CallContext } from '../domain/call-context.js';
import { RedisChangeStore } from '../store/redis-change.store.js';
import { type TokenRecord, tokenId, TokenStore } from '../store/token.store.js';
import { Ctx } from '../tenant/ctx.decorator.js';
import { AdminDesk } from './admin-desk.js';
import {
  type AdminRequest,
  bodyOf,
  Fields,
  pathPart,
  splitVerb,
  textFault,
  wholeFault,
} from './request.js';
import { TenantAdmin } from './tenant-admin.js';
import { type MadeToken, TokenAdmin } from './token-admin.js';

const MOST_SECONDS = 10 * 365 * 24 * 3600;

/** A token without its secret. */
export interface ShownToken {
  readonly id: string;
  /** Absent for an admin's. */
  readonly tenant?: string;
  readonly user: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly created: string;
  readonly expires?: string;
  readonly revoked?: string;
  readonly lastUsed?: string;
  readonly addresses?: readonly string[];
  readonly replaces?: string;
}

/** Tokens in Redis. Those of the YAML file are not shown: they are changed there. */
@Controller('admin/v1/tokens')
@RequireScope(ADMIN_SCOPE)
export class TokensController {
  private readonly tokens: TokenAdmin;

  constructor(
    @Inject(TokenStore) store: TokenStore,
    changes: RedisChangeStore,
    private readonly tenants: TenantAdmin,
    private readonly desk: AdminDesk,
  ) {
    this.tokens = new TokenAdmin(store, changes);
  }

  @Get()
  async list(
    @Query('tenant') tenant?: string,
  ): Promise<{ readonly tokens: readonly ShownToken[] }> {
    return { tokens: (await this.tokens.list(tenant)).map(shown) };
  }

  @Get(':id')
  async get(@Req() request: AdminRequest): Promise<ShownToken> {
    return shown(await this.tokens.find(pathPart(request, 'id')));
  }

  /** The answer is the only place where the secret ever stands. */
  @Post()
  @HttpCode(200)
  async create(@Ctx() ctx: CallContext, @Req() request: AdminRequest): Promise<unknown> {
    const names = ['tenant', 'user', 'label', 'scopes', 'expires', 'addresses'];
    const fields = new Fields(bodyOf(request), names);
    const scopes = fields.texts('scopes', scopesFault) ?? [...DEFAULT_SCOPES];
    const isAdmin = scopes.includes(ADMIN_SCOPE);
    const tenant = fields.text('tenant', (id) =>
      isAdmin ? 'must be absent: an admin has no tenant' : textFault(63)(id),
    );
    if (!isAdmin) fields.require('tenant');
    if (tenant !== undefined && !(await this.tenants.exists(tenant))) {
      fields.add('tenant', 'is no tenant');
    }
    fields.require('user');
    const user = fields.text('user', userFault) ?? '';
    const expires = fields.text('expires', expiryFault);
    const token = {
      tenant: tenant ?? SYSTEM_TENANT,
      user,
      scopes,
      label: fields.text('label', labelFault),
      addresses: fields.texts('addresses', addressesFault),
      expires: expires === undefined ? undefined : Date.parse(expires),
    };
    fields.check();
    const what = { tenant: tenant ?? '', action: 'token.create', target: `user/${user}` };
    const made = await this.desk.do(ctx, what, () => this.tokens.create(token), targetOf);
    return { token: made.secret, ...shown(made.record) };
  }

  @Post(':id')
  @HttpCode(200)
  async act(@Ctx() ctx: CallContext, @Req() request: AdminRequest): Promise<unknown> {
    const [id, verb] = splitVerb(pathPart(request, 'id'), ['revoke', 'rotate'] as const);
    const { tenant, sha256 } = await this.tokens.find(id);
    const audited = {
      tenant: tenant === SYSTEM_TENANT ? '' : tenant,
      action: `token.${verb}`,
      target: `token/${tokenId(sha256)}`,
    };
    if (verb === 'revoke') {
      await this.desk.do(ctx, audited, () => this.tokens.revoke(sha256));
      return shown(await this.tokens.find(sha256));
    }
    const fields = new Fields(bodyOf(request), ['overlapSeconds', 'expires']);
    const overlap = fields.whole('overlapSeconds', wholeFault(0, MOST_SECONDS));
    const expires = fields.text('expires', expiryFault);
    fields.check();
    const made = await this.desk.do(ctx, audited, () =>
      this.tokens.rotate(sha256, {
        ...(overlap === undefined ? {} : { overlapMs: overlap * 1000 }),
        ...(expires === undefined ? {} : { expires: Date.parse(expires) }),
      }),
    );
    return { token: made.secret, ...shown(made.record), old: shown(made.old) };
  }
}

/** A token that is over before anybody has it is a mistake in the date. */
function expiryFault(value: unknown): string | undefined {
  const fault = dateFault(value);
  if (fault !== undefined) return fault;
  return Date.parse(String(value)) > Date.now() ? undefined : 'is over already';
}

function targetOf({ record }: MadeToken): string {
  return `token/${tokenId(record.sha256)}`;
}

function shown(record: TokenRecord): ShownToken {
  const { sha256, tenant, user, label, scopes, addresses, replaces } = record;
  return {
    id: tokenId(sha256),
    ...(tenant === SYSTEM_TENANT ? {} : { tenant }),
    user,
    label,
    scopes,
    created: new Date(record.created).toISOString(),
    ...time('expires', record.expires),
    ...time('revoked', record.revoked),
    ...time('lastUsed', record.lastUsed),
    ...(addresses === undefined ? {} : { addresses }),
    ...(replaces === undefined ? {} : { replaces: tokenId(replaces) }),
  };
}

function time<K extends string>(key: K, at: number | undefined): Partial<Record<K, string>> {
  if (at === undefined) return {};
  return { [key]: new Date(at).toISOString() } as Record<K, string>;
}
