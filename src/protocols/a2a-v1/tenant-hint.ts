import type { CallContext } from '../../domain/call-context.js';
import { DomainError } from '../../domain/errors.js';
import type { Params } from '../wire/params.js';

/**
 * `tenant` in a path or in params is a routing hint (spec 8.3.2), never authority: the token says
 * which tenant it is. A hint that names another one is answered without a look at whether that one
 * exists, so that a caller learns nothing; it is not handed on.
 * @throws DomainError PATH_NOT_FOUND.
 */
export function checkTenantHint(ctx: CallContext, hint: string | undefined): void {
  if (hint !== undefined && hint !== '' && hint !== ctx.tenant) {
    throw new DomainError('PATH_NOT_FOUND', 'No such tenant for this token');
  }
}

/** The same for the `tenant` field of a request. */
export function checkTenantField(ctx: CallContext, params: Params): void {
  checkTenantHint(ctx, params.string('tenant'));
}
