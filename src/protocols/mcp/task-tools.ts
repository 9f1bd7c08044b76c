import { z } from 'zod';
import { STATES } from '../../domain/task-state.js';
import { callWithMessage, checkId, type MessageAnswers } from './message-call.js';
import { withTaskFiles } from './task-files.js';
import { taskInList, taskListResult, taskResult } from './task-result.js';
import { defineTool } from './tool.js';
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

const ASK = z.object({
  message: z.string().min(1).describe('The question or request in plain words.'),
  context_id: z
    .string()
    .optional()
    .describe('The contextId of an earlier task, to go on in that conversation.'),
  wait: z.boolean().default(true).describe('false: return at once; get_task has the answer later.'),
});

const TASK_ID = z.object({ task_id: z.string().min(1).describe('The id of a task of yours.') });

const LIST = z.strictObject({
  context_id: z.string().optional().describe('Only of this conversation.'),
  state: z.enum(STATES).optional().describe('Only in this state.'),
  page_size: z.int().min(1).max(25).default(20),
  page_token: z.string().optional().describe('next_page_token of the page before.'),
});

const PAGE = z.object({
  tasks: z.array(TASK),
  next_page_token: z.string().describe('Empty on the last page.'),
  total_size: z.int(),
});

const answersOf = (host: ToolHost): MessageAnswers => ({
  result: (task) => {
    const baseUrl = host.exchange.options.baseUrl();
    return withTaskFiles(taskResult(task, baseUrl, { failureIsError: true }), task, host);
  },
  goOn: ({ taskId }) => `get_task with task_id "${taskId}" shows how far it is.`,
});

const BUSY = 'list_tasks with this context_id names the task that is being worked on.';

/** The toolset `tasks`: the assistant by tasks, in the shape that A2A 1.0 gives them (S31 … S33). */
export const TASK_TOOLS = [
  defineTool({
    name: 'ask',
    title: 'Ask the assistant, get a task',
    description:
      'Send a message to the operations assistant. Returns its A2A Task, with the answer in artifacts once it is completed.',
    input: ASK,
    output: TASK,
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    run: (host, { message, context_id: id, wait }, call) => {
      const options = waiting(host, call);
      return answer(
        host,
        () =>
          callWithMessage(
            host.tasks,
            host.exchange,
            { message, context: { argument: 'context_id', id }, canContinue: false },
            answersOf(host),
            wait ? options : { ...options, maxWaitMs: 0 },
          ),
        BUSY,
      );
    },
  }),
  defineTool({
    name: 'get_task',
    title: 'Get a task',
    description: 'A task of yours as it is now: its status, and its answer in artifacts.',
    input: TASK_ID,
    output: TASK,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (host, { task_id: id }) =>
      answer(host, async () => {
        const { ctx, limits, baseUrl } = host.exchange.options;
        checkId('task_id', id, limits.idBytes);
        return taskResult(await host.tasks.get(ctx, id), baseUrl());
      }),
  }),
  defineTool({
    name: 'cancel_task',
    title: 'Cancel a task',
    description:
      'Cancel a task of yours that is still working or waits for an answer. Returns it once it has ended; what it has already done outside is not undone.',
    input: TASK_ID,
    output: TASK,
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
    run: (host, { task_id: id }) =>
      answer(host, async () => {
        const { ctx, limits, baseUrl } = host.exchange.options;
        checkId('task_id', id, limits.idBytes);
        const { task } = await host.tasks.cancel(ctx, id);
        return taskResult(task, baseUrl());
      }),
  }),
  defineTool({
    name: 'list_tasks',
    title: 'List tasks',
    description: 'Your tasks, newest first, without their artifacts.',
    input: LIST,
    output: PAGE,
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: (host, query) =>
      answer(host, async () => {
        const { ctx, limits } = host.exchange.options;
        checkId('context_id', query.context_id, limits.idBytes);
        const asked = {
          pageSize: query.page_size,
          ...(query.context_id === undefined ? {} : { contextId: query.context_id }),
          ...(query.state === undefined ? {} : { state: query.state }),
          ...(query.page_token === undefined ? {} : { pageToken: query.page_token }),
        };
        return taskListResult(await host.tasks.list(ctx, asked, taskInList));
      }),
  }),
];
