import type { IncomingMessage } from 'node:http';
import type { AddressList } from '../domain/address-list.js';
import type { MuteRights } from '../domain/call-context.js';

export {
  ADMIN_SCOPE,
  DEFAULT_SCOPES,
  SYSTEM_TENANT,
  TOKEN_SCOPES,
  type TokenScope,
} from '../config/token-scopes.js';

/** Where a token may be presented. */
export type Surface = 'a2a' | 'mcp';

/** Whom a token proves: what the guard puts on the request, and all that is known of the caller. */
export interface Principal {
  /** SYSTEM_TENANT for an admin. */
  readonly tenant: string;
  readonly user: string;
  readonly scopes: readonly string[];
  /** SHA-256 of what was presented. Names the token; what is owned hangs on tenant and user alone. */
  readonly sha256: string;
  /** Until when it is good, ms since the epoch; absent: no end is known. */
  readonly expires?: number;
  /** From where it may be used; absent: from anywhere. */
  readonly addresses?: AddressList;
  /** What lists and the audit call an issuer's token: the same after a refresh. Absent: `tokenId`. */
  readonly id?: string;
  /** SHA-256 of the first of the tokens that were rotated until this one; absent: its own. */
  readonly line?: string;
  /** Of an issuer's token: the surfaces that its audience covers. Absent: all. */
  readonly surfaces?: readonly Surface[];
  /** Of a user of n9e: the busi groups that are theirs. */
  readonly busiGroups?: readonly number[];
  /** Of a user of n9e: in which of them n9e lets this user change mutes, where it was asked. */
  readonly mutes?: MuteRights;
}

/** The part of a request that authentication fills in. */
export interface AuthenticatedRequest {
  readonly id: string;
  /** Node's own. */
  readonly raw: IncomingMessage;
  /** Set by the guard on every route that is not public. */
  readonly user?: Principal;
}
