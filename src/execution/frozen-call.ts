import type { PastTurn, Turn } from '../assistant/assistant-backend.js';
import type { JsonObject, JsonValue, Message } from '../domain/a2a.js';
import type { CallContext } from '../domain/call-context.js';

/**
 * All that a run needs of the request that started it, stored with the task: whichever instance
 * takes the task over runs it on behalf of the same caller.
 */
export interface FrozenCall {
  readonly ctx: CallContext;
  readonly message: Message;
  /** The id of the message that created the task, by which it is found while it runs. */
  readonly messageId: string;
  readonly metadata: JsonObject;
  /** 1, and one more with every continuation. */
  readonly leg: number;
  /** The request that waits for this run, as its protocol names it, and when it came; ms. */
  readonly origin?: { readonly name: string; readonly at: number };
  readonly answering?: Turn['answering'];
  readonly drops?: Turn['drops'];
}

export function textOf(message: Message): string {
  return message.parts.flatMap((part) => part.text ?? []).join('\n');
}

/** Settings are read from the request's metadata, the message's as a fallback (seed N24). */
function setting(call: FrozenCall, key: string): JsonValue | undefined {
  return call.metadata[key] ?? call.message.metadata?.[key];
}

function textSetting(call: FrozenCall, key: string): string | undefined {
  const value = setting(call, key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function turnOf(
  call: FrozenCall,
  task: { readonly taskId: string; readonly contextId: string; readonly turn: number },
  attempt: number,
  history: readonly PastTurn[],
): Turn {
  const lang = textSetting(call, 'lang');
  const timezone = textSetting(call, 'timezone');
  const page = setting(call, 'page');
  const data = call.message.parts.find((part) => part.data !== undefined)?.data;
  const action = setting(call, 'action_param') ?? data;
  return {
    tenant: call.ctx.tenant,
    user: call.ctx.user,
    ...(call.ctx.busiGroups === undefined ? {} : { busiGroups: call.ctx.busiGroups }),
    ...(call.ctx.mutes === undefined ? {} : { mutes: call.ctx.mutes }),
    ...(call.ctx.depth === undefined ? {} : { depth: call.ctx.depth }),
    ...task,
    requestId: call.ctx.requestId,
    attempt,
    message: call.message,
    text: textOf(call.message),
    history,
    ...(call.answering === undefined ? {} : { answering: call.answering }),
    ...(call.drops === undefined ? {} : { drops: call.drops }),
    ...(lang === undefined ? {} : { lang }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(page === undefined ? {} : { page }),
    ...(isObject(action) ? { actionParam: action } : {}),
  };
}
