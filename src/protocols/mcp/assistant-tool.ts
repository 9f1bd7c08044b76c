import { z } from 'zod';
import { assistantResult, STATUSES } from './assistant-result.js';
import { callWithMessage, type MessageAnswers } from './message-call.js';
import { withTaskFiles } from './task-files.js';
import { defineTool } from './tool.js';
import { answer, type ToolHost, waiting } from './tool-host.js';

export const ASSISTANT_TOOL = 'n9e_assistant';

export const ASSISTANT_INSTRUCTIONS = [
  `${ASSISTANT_TOOL} talks to the operations assistant of this installation: what is firing, details of an alert, silences, targets that are down, metrics by PromQL. Ask in plain words, in any language; one question a call.`,
  'Send the chat_id of the last result to go on in the same conversation ("the first one", "only prod").',
  'status "input_required": put the question to the user and send the reply with the same chat_id. status "working": the answer takes longer than one call; send the message "continue" with the chat_id to wait for it.',
];

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

const answersOf = (host: ToolHost): MessageAnswers => ({
  result: (task, turn) => withTaskFiles(assistantResult(task, turn), task, host),
  goOn: ({ taskId, contextId }) =>
    `call this tool again with the message "continue" and chat_id "${contextId}" (task ${taskId}).`,
});

const BUSY = 'To wait for the answer that is being worked on, send the message "continue".';

/** The toolset `assistant`: the one tool that n9e has. */
export const ASSISTANT_TOOLS = [
  defineTool({
    name: ASSISTANT_TOOL,
    title: 'Ask the operations assistant',
    description:
      'Ask the operations assistant about this installation in natural language and get its final answer as text.',
    input: INPUT,
    output: OUTPUT,
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: true,
    },
    run: (host, { message, chat_id: id }, call) =>
      answer(
        host,
        () =>
          callWithMessage(
            host.tasks,
            host.exchange,
            { message, context: { argument: 'chat_id', id }, canContinue: true },
            answersOf(host),
            waiting(host, call),
          ),
        BUSY,
      ),
  }),
];
