import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { TaskService } from '../../tasks/task.service.js';
import { PRODUCT } from '../http/product.js';
import { callAssistant } from './assistant-call.js';
import { STATUSES } from './assistant-result.js';
import type { McpExchange } from './exchange.js';
import type { ProgressSink } from './progress.js';

export const ASSISTANT_TOOL = 'n9e_assistant';

const SERVER_INFO = { name: 'nightjar', title: PRODUCT.name, version: PRODUCT.version };

/** The tool list never changes while a gateway runs; clients may keep it for so long. */
const LIST_TTL_MS = 5 * 60_000;

const INSTRUCTIONS = [
  `${ASSISTANT_TOOL} talks to the operations assistant of this installation: what is firing, details of an alert, silences, targets that are down, metrics by PromQL. Ask in plain words, in any language; one question a call.`,
  'Send the chat_id of the last result to go on in the same conversation ("the first one", "only prod").',
  'status "input_required": put the question to the user and send the reply with the same chat_id. status "working": the answer takes longer than one call; send the message "continue" with the chat_id to wait for it.',
].join('\n');

const INPUT = z.object({
  message: z
    .string()
    .min(1)
    .describe(
      'The question or request in plain words. "continue" (with chat_id) waits for an answer that was still being worked on.',
    ),
  chat_id: z
    .string()
    .optional()
    .describe(
      'The chat_id of an earlier result, to go on in that conversation. Without: a new one.',
    ),
});

const OUTPUT = z.object({
  content: z.string().describe('The answer, or the question when status is input_required.'),
  chat_id: z.string().describe('The conversation; send it along to go on.'),
  seq_id: z.int().min(0).describe('The turn within the conversation, from 1.'),
  task_id: z.string().describe('The task behind this answer, as A2A names it.'),
  status: z.enum(STATUSES),
});

export interface AssistantToolOptions {
  readonly maxWaitMs: number;
  readonly era: 'legacy' | 'modern';
}

/** The MCP server of one request: stateless, with the one tool. */
export function assistantServer(
  tasks: TaskService,
  exchange: McpExchange,
  { maxWaitMs, era }: AssistantToolOptions,
): McpServer {
  const server = new McpServer(SERVER_INFO, {
    instructions: INSTRUCTIONS,
    capabilities: { tools: { listChanged: false } },
    cacheHints: {
      'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
      'server/discover': { ttlMs: LIST_TTL_MS, cacheScope: 'private' },
    },
  });
  server.registerTool(
    ASSISTANT_TOOL,
    {
      title: 'Ask the operations assistant',
      description:
        'Ask the operations assistant about this installation in natural language and get its final answer as text.',
      inputSchema: INPUT,
      outputSchema: OUTPUT,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    (args, call) => {
      const progress = exchange.options.streams ? progressSink(call) : undefined;
      return callAssistant(tasks, exchange, args, {
        maxWaitMs,
        closingCancels: era === 'modern',
        ...(progress === undefined ? {} : { progress }),
      });
    },
  );
  return server;
}

/** Progress counts up by one a message, as its total is unknown. */
function progressSink({ mcpReq }: ServerContext): ProgressSink | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let progress = 0;
  return async (message) => {
    progress += 1;
    const params = { progressToken, progress, message };
    // The client may be gone; its call ends elsewhere.
    await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
