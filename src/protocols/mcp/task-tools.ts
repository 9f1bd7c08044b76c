import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { STATES } from '../../domain/task-state.js';
import { callWithMessage, checkId, type MessageAnswers } from './message-call.js';
import { withTaskFiles } from './task-files.js';
import { taskInList, taskListResult, taskResult } from './task-result.js';
import { answer, type ToolHost, waiting } from './tool-host.js';

export const TASK_INSTRUCTIONS = [
  'ask sends a message to the operations assistant and returns an A2A Task. Its answer is the text of the task’s artifacts; with wait false it returns at once, and get_task shows how far it is.',
  'Send the contextId of a task as context_id to go on in the same conversation. TASK_STATE_INPUT_REQUIRED: the question is in status.message; ask again with the reply and the same context_id.',
];

const TASK = z.looseObject({
  id: z.string(),
  contextId: z.string().describe('The conversation; send it as context_id to go on.'),
  status: z.looseObject({ state: z.enum(STATES), timestamp: z.string().optional() }),
});

const TASK_ID = z.object({ task_id: z.string().min(1).describe('The id of a task of yours.') });

const LIST = z.object({
  context_id: z.string().optional().describe('Only of this conversation.'),
  state: z.enum(STATES).optional().describe('Only in this state.'),
  page_size: z.int().min(1).max(25).default(20),
  page_token: z.string().optional().describe('next_page_token of the page before.'),
});

const answersOf = (host: ToolHost): MessageAnswers => ({
  result: (task) => {
    const { baseUrl } = host.exchange.options;
    return withTaskFiles(taskResult(task, baseUrl, { failureIsError: true }), task, host);
  },
  goOn: ({ taskId }) => `get_task with task_id "${taskId}" shows how far it is.`,
});

const BUSY = 'list_tasks with this context_id names the task that is being worked on.';

/** The toolset `tasks`: the assistant by tasks, in the shape that A2A 1.0 gives them (S31 … S33). */
export function registerTasks(server: McpServer, host: ToolHost): void {
  const { tasks, exchange } = host;
  const { ctx, limits, baseUrl } = exchange.options;
  server.registerTool(
    'ask',
    {
      title: 'Ask the assistant, get a task',
      description:
        'Send a message to the operations assistant. Returns its A2A Task, with the answer in artifacts once it is completed.',
      inputSchema: z.object({
        message: z.string().min(1).describe('The question or request in plain words.'),
        context_id: z
          .string()
          .optional()
          .describe('The contextId of an earlier task, to go on in that conversation.'),
        wait: z
          .boolean()
          .default(true)
          .describe('false: return at once; get_task has the answer later.'),
      }),
      outputSchema: TASK,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    ({ message, context_id: id, wait }, call) => {
      const options = waiting(host, call);
      return answer(
        host,
        () =>
          callWithMessage(
            tasks,
            exchange,
            { message, context: { argument: 'context_id', id }, canContinue: false },
            answersOf(host),
            wait ? options : { ...options, maxWaitMs: 0 },
          ),
        BUSY,
      );
    },
  );
  server.registerTool(
    'get_task',
    {
      title: 'Get a task',
      description: 'A task of yours as it is now: its status, and its answer in artifacts.',
      inputSchema: TASK_ID,
      outputSchema: TASK,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ task_id: id }) =>
      answer(host, async () => {
        checkId('task_id', id, limits.idBytes);
        return taskResult(await tasks.get(ctx, id), baseUrl);
      }),
  );
  server.registerTool(
    'cancel_task',
    {
      title: 'Cancel a task',
      description:
        'Cancel a task of yours that is still working or waits for an answer. Returns it once it has ended; what it has already done outside is not undone.',
      inputSchema: TASK_ID,
      outputSchema: TASK,
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
    },
    ({ task_id: id }) =>
      answer(host, async () => {
        checkId('task_id', id, limits.idBytes);
        const { task } = await tasks.cancel(ctx, id);
        return taskResult(task, baseUrl);
      }),
  );
  server.registerTool(
    'list_tasks',
    {
      title: 'List tasks',
      description: 'Your tasks, newest first, without their artifacts.',
      inputSchema: LIST,
      outputSchema: z.object({
        tasks: z.array(TASK),
        next_page_token: z.string().describe('Empty on the last page.'),
        total_size: z.int(),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    (query) =>
      answer(host, async (): Promise<CallToolResult> => {
        checkId('context_id', query.context_id, limits.idBytes);
        const asked = {
          pageSize: query.page_size,
          ...(query.context_id === undefined ? {} : { contextId: query.context_id }),
          ...(query.state === undefined ? {} : { state: query.state }),
          ...(query.page_token === undefined ? {} : { pageToken: query.page_token }),
        };
        return taskListResult(await tasks.list(ctx, asked, taskInList));
      }),
  );
}
