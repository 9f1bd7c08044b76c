import type { JsonValue } from '../../domain/a2a.js';
import type { CallContext } from '../../domain/call-context.js';
import { Params } from '../wire/params.js';
import { checkTenantField } from './tenant-hint.js';

/**
 * The request document of an operation, to be read field by field.
 * @throws InvalidParams when it is not an object; as checkTenantField.
 */
export function readParams(ctx: CallContext, params: JsonValue | undefined): Params {
  const given = Params.of(params);
  checkTenantField(ctx, given);
  return given;
}
