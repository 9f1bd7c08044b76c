import type { CallToolResult } from '@modelcontextprotocol/server';
import type { BuildIdentity } from '../../config/build-identity.js';
import type { TenantConfig } from '../../config/config.types.js';
import { DomainError, unavailable } from '../../domain/errors.js';
import { countRefusal } from '../../metrics/count-refusal.js';
import type { TaskService } from '../../tasks/task.service.js';
import type { ToolService } from '../../tasks/tool.service.js';
import { refusal } from './assistant-result.js';
import { originOf } from './cancel-request.js';
import type { McpExchange } from './exchange.js';
import type { MessageCallOptions } from './message-call.js';
import type { ProgressSink } from './progress.js';
import type { ReadFiles } from './pictures.js';
import { adviceFor, sentence } from './refusal-text.js';
import type { ToolCall } from './tool-call.js';

/** Refusals that MCP clients get as an HTTP status; all others are results for the model. */
const HTTP_REFUSALS = new Set<DomainError['code']>([
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'TOO_LARGE',
  'UNAVAILABLE',
]);

/** What the tools of one request work with. */
export interface ToolHost {
  readonly tasks: TaskService;
  readonly tools: ToolService;
  /** Of tasks of the caller. */
  readonly readFiles: ReadFiles;
  readonly exchange: McpExchange;
  readonly tenant: TenantConfig;
  readonly era: 'legacy' | 'modern';
  readonly maxWaitMs: number;
  readonly build: BuildIdentity;
}

/**
 * Runs a tool. Never rejects: a refusal that is an HTTP status goes to the exchange, any other
 * becomes a result with `isError`.
 * @param busy what the model can do when its conversation is busy; a sentence.
 */
export async function answer(
  { exchange }: ToolHost,
  work: () => Promise<CallToolResult>,
  busy?: string,
): Promise<CallToolResult> {
  try {
    await exchange.admit();
    const result = await work();
    exchange.open();
    return result;
  } catch (error) {
    return refused(exchange, error, busy);
  }
}

/** How long a tool that talks to the assistant waits, and what it tells meanwhile. */
export function waiting(
  { exchange, maxWaitMs, era }: ToolHost,
  call: ToolCall,
): MessageCallOptions {
  const progress = exchange.options.streams ? progressSink(call) : undefined;
  return {
    maxWaitMs,
    ...(era === 'modern'
      ? { closingCancels: true }
      : { closingCancels: false, origin: originOf(call.id) }),
    ...(progress === undefined ? {} : { progress }),
  };
}

function refused(exchange: McpExchange, error: unknown, busy?: string): CallToolResult {
  const { ctx } = exchange.options;
  if (!(error instanceof DomainError) && exchange.over.aborted) {
    return refused(exchange, unavailable('This instance is stopping; call again'), busy);
  }
  const text = `${sentence(ctx, error)}.`;
  if (!(error instanceof DomainError) || HTTP_REFUSALS.has(error.code)) {
    exchange.refuse(error);
    return refusal(text);
  }
  countRefusal(error);
  exchange.open();
  const hint = error.code === 'CONTEXT_BUSY' && busy !== undefined ? [busy] : [];
  return refusal([text, ...hint, ...adviceFor(error)].join(' '));
}

/** Progress counts up by one a message, as its total is unknown. */
function progressSink(call: ToolCall): ProgressSink | undefined {
  const progressToken = call._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return async (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // The client may be gone; its call ends elsewhere.
    await call.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
