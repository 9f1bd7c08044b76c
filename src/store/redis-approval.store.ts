import type { Keys } from '../redis/keys.js';
import { ScriptCode } from '../redis/script-code.js';
import { asList, type RedisClient, runScript } from '../redis/scripts.js';

/** Design section 8. */
export const MOST_PENDING = 8;
export const DECIDE_WITHIN_MS = 120_000;
/** A decided request can be looked at for so long. */
const KEPT_MS = 3600_000;

/** A write that waits for an operator, as it is shown to one. */
export interface ApprovalRequest {
  readonly tenant: string;
  readonly user: string;
  readonly taskId: string;
  readonly tool: string;
  readonly summary: string;
  readonly hash: string;
}

export interface PendingApproval extends ApprovalRequest {
  readonly id: string;
  /** By Redis, ms since the epoch. */
  readonly expires: number;
}

export type ApprovalDecision = 'approved' | 'refused' | 'expired';

export type Decided =
  | { readonly ok: true; readonly decision: ApprovalDecision; readonly by: string }
  /** There is no such request, or the run that asked for it is gone. */
  | { readonly ok: false; readonly why: 'missing' | 'lost' };

/** Requests for an operator's approval: opened by runs, decided by the CLI and the admin API. */
export class RedisApprovalStore {
  constructor(
    /** With the scripts defined on it. */
    private readonly redis: RedisClient,
    private readonly keys: Keys,
  ) {}

  /** @returns when it expires, or the script's refusal. */
  async open(
    id: string,
    epoch: number,
    request: ApprovalRequest,
    withinMs = DECIDE_WITHIN_MS,
  ): Promise<{ readonly expires: number } | { readonly code: number }> {
    const reply = asList(
      await runScript(this.redis, 'open-approval', this.keysOf(request, id), [
        id,
        epoch,
        withinMs,
        MOST_PENDING,
        KEPT_MS,
        JSON.stringify(request),
      ]),
    );
    const code = Number(reply[0]);
    return code === 1 ? { expires: Number(reply[1]) } : { code };
  }

  /** What the operators say so far; undefined while they say nothing. */
  async stateOf(
    tenant: string,
    id: string,
  ): Promise<{ readonly decision: ApprovalDecision; readonly by: string } | undefined> {
    const [state, by] = await this.redis.hmget(this.keys.approval(tenant, id), 'state', 'by');
    if (state === 'pending') return undefined;
    return { decision: (state ?? 'expired') as ApprovalDecision, by: by ?? '' };
  }

  /** Of a tenant, those that can still be decided; those that expire first at the top. */
  async pending(tenant: string): Promise<readonly PendingApproval[]> {
    const ids = await this.redis.zrange(this.keys.approvals(tenant), '0', '-1');
    const found = await Promise.all(ids.map((id) => this.find(tenant, id)));
    return found.filter((one) => one !== undefined);
  }

  /**
   * The first decision counts; the answer is that one.
   * @param by who decides; the operator's name, never the caller's word.
   */
  async decide(
    tenant: string,
    id: string,
    decision: ApprovalDecision,
    by: string,
  ): Promise<Decided> {
    const request = await this.request(tenant, id);
    if (request === undefined) return { ok: false, why: 'missing' };
    const keys = this.keysOf(request, id);
    const reply = asList(await runScript(this.redis, 'decide-approval', keys, [id, decision, by]));
    const code = Number(reply[0]);
    if (code < 0) return { ok: false, why: code === ScriptCode.Missing ? 'missing' : 'lost' };
    return { ok: true, decision: String(reply[1]) as ApprovalDecision, by: String(reply[2]) };
  }

  private async find(tenant: string, id: string): Promise<PendingApproval | undefined> {
    const key = this.keys.approval(tenant, id);
    const [state, expires, text, epoch] = await this.redis.hmget(
      key,
      ...['state', 'expires', 'request', 'epoch'],
    );
    if (state !== 'pending' || Number(expires) <= Date.now()) return undefined;
    const request = JSON.parse(text ?? '{}') as ApprovalRequest;
    // That of an instance that has died: nobody can decide it any more, its task has asked anew.
    const owner = await this.redis.hget(this.keys.task(tenant, request.taskId), 'epoch');
    return owner === epoch ? { ...request, id, expires: Number(expires) } : undefined;
  }

  /** What was asked for, decided or not; undefined where nothing was. */
  async request(tenant: string, id: string): Promise<ApprovalRequest | undefined> {
    const request = await this.redis.hget(this.keys.approval(tenant, id), 'request');
    return request === null ? undefined : (JSON.parse(request) as ApprovalRequest);
  }

  private keysOf({ tenant, taskId }: ApprovalRequest, id: string): readonly string[] {
    return [
      this.keys.approvals(tenant),
      this.keys.approval(tenant, id),
      this.keys.task(tenant, taskId),
    ];
  }
}
