import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Message, Task, TaskStateName } from '../../domain/a2a.js';
import { boundedAnswer } from './bounded-answer.js';

/** `status` of a result: the task's state in the words of this tool. */
export const STATUSES = [
  'completed',
  'working',
  'input_required',
  'auth_required',
  'failed',
  'rejected',
  'canceled',
] as const;
export type Status = (typeof STATUSES)[number];

const STATUS_OF: Readonly<Record<TaskStateName, Status>> = {
  TASK_STATE_SUBMITTED: 'working',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_INPUT_REQUIRED: 'input_required',
  TASK_STATE_AUTH_REQUIRED: 'auth_required',
};

/**
 * A task as the tool's result. Only the answer goes out: no thoughts, no steps. The ids stand in a
 * text block of their own besides structuredContent, because clients before 2025-06-18 show a model
 * nothing but text and it needs the chat_id to go on.
 * @param turn the n9e seq_id, used when the task's metadata does not name one.
 */
export function assistantResult(task: Task, turn: number): CallToolResult {
  const status = STATUS_OF[task.status.state];
  const content = boundedAnswer(
    textFor(status, task),
    `(The answer is longer than a tool result may be and was cut here. The whole of it: task ${task.id} over A2A, or ask for a part of it.)`,
  );
  const ids = {
    chat_id: task.contextId,
    seq_id: seqId(task) ?? turn,
    task_id: task.id,
    status,
  };
  return {
    content: [
      { type: 'text', text: content },
      { type: 'text', text: JSON.stringify(ids) },
    ],
    structuredContent: { content, ...ids },
    ...(status === 'failed' || status === 'rejected' || status === 'canceled'
      ? { isError: true }
      : {}),
  };
}

/** A result for a call that was refused: the sentence, for the model to read. */
export function refusal(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function textFor(status: Status, task: Task): string {
  const answer = answerOf(task);
  const said = textOf(task.status.message);
  switch (status) {
    case 'completed':
      return answer === '' ? 'The assistant finished without a text answer.' : answer;
    case 'working':
      return (
        'The assistant is still working on this. To wait for the answer, call this tool again ' +
        `with the message "continue" and chat_id "${task.contextId}".`
      );
    case 'input_required':
      return paragraphs(answer, said === '' ? 'The assistant needs more information.' : said);
    case 'auth_required':
      return paragraphs(answer, said === '' ? 'The assistant needs an authorisation.' : said);
    case 'failed':
      return paragraphs(said === '' ? 'The task failed.' : said, soFar(answer));
    case 'rejected':
      return paragraphs(said === '' ? 'The assistant declined this request.' : said, soFar(answer));
    case 'canceled':
      return paragraphs(said === '' ? 'The task was canceled.' : said, soFar(answer));
  }
}

function soFar(answer: string): string {
  return answer === '' ? '' : `What there was of the answer:\n\n${answer}`;
}

function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

/** The core's id of the artifact that a run's content frames make; the number counts its runs. */
const ANSWER_ID = /^(\d+)-answer$/;

/**
 * The text of the content frames. A task that was continued has an answer for each run: the newest
 * one belongs to this call, what was said before the question went out with it.
 */
function answerOf(task: Task): string {
  const newest = (task.artifacts ?? [])
    .filter((artifact) => ANSWER_ID.test(artifact.artifactId))
    .sort((a, b) => parseInt(a.artifactId) - parseInt(b.artifactId))
    .at(-1);
  return (newest?.parts ?? []).map((part) => part.text ?? '').join('');
}

function textOf(message: Message | undefined): string {
  return (message?.parts ?? []).flatMap((part) => part.text ?? []).join('\n');
}

function seqId(task: Task): number | undefined {
  const value = task.metadata?.['n9e.seq_id'];
  return typeof value === 'number' ? value : undefined;
}
