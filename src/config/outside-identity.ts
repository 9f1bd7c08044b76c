import type { GatewayConfig } from './config.types.js';

/** Whether somebody else vouches for users, so that there may be callers without a token of ours. */
export function hasOutsideIdentity({ auth }: Pick<GatewayConfig, 'auth'>): boolean {
  return auth.oidc.length > 0 || auth.n9e !== undefined;
}
