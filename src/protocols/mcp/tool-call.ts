import type { ProgressToken, RequestId } from '@modelcontextprotocol/server';

/** The request behind a call, as a tool sees it. */
export interface ToolCall {
  readonly id: RequestId;
  readonly _meta?: { readonly progressToken?: ProgressToken | undefined } | undefined;
  /** Sends a notification that belongs to the call. @throws when its client is gone. */
  notify(notification: { method: string; params: Record<string, unknown> }): Promise<void>;
}
