import { describe, expect, it } from 'vitest';
import type { StreamResponse, TaskStateName } from '../../domain/a2a.js';
import type { TaskStream } from '../../tasks/task.types.js';
import { reportSteps } from './progress.js';

function status(state: TaskStateName, text?: string): StreamResponse {
  return {
    statusUpdate: {
      taskId: 't',
      contextId: 'c',
      status: {
        state,
        timestamp: '2026-11-30T00:00:00.000Z',
        ...(text === undefined
          ? {}
          : { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } }),
      },
    },
  };
}

interface Scripted {
  readonly beat?: boolean;
  readonly event: StreamResponse;
}

async function* stream(events: readonly Scripted[]): TaskStream {
  for (const { beat, event } of events) {
    const json = JSON.stringify(event);
    await Promise.resolve();
    yield beat === true
      ? { id: undefined, json, settled: false }
      : { id: { seq: 1, epoch: 1 }, json, settled: false };
  }
}

async function heard(...events: readonly Scripted[]): Promise<readonly string[]> {
  const messages: string[] = [];
  await reportSteps(Promise.resolve(stream(events)), (message) => {
    messages.push(message);
    return Promise.resolve();
  });
  return messages;
}

describe('reportSteps', () => {
  it('should tell steps and nothing else', async () => {
    expect(
      await heard(
        { event: status('TASK_STATE_WORKING') },
        { event: status('TASK_STATE_WORKING', 'one') },
        {
          event: {
            artifactUpdate: {
              taskId: 't',
              contextId: 'c',
              artifact: { artifactId: 'a', parts: [{ text: 'content' }] },
            },
          },
        },
        { event: status('TASK_STATE_COMPLETED', 'end') },
      ),
    ).toEqual(['one']);
  });

  it('should repeat the last step at a heartbeat, whatever that carries', async () => {
    expect(
      await heard(
        { beat: true, event: status('TASK_STATE_WORKING') },
        { event: status('TASK_STATE_WORKING', 'one') },
        { beat: true, event: status('TASK_STATE_WORKING') },
      ),
    ).toEqual(['Still working', 'one', 'one']);
  });

  it('should cut a long step', async () => {
    const [message] = await heard({ event: status('TASK_STATE_WORKING', 'x'.repeat(600)) });
    expect(message).toBe(`${'x'.repeat(500)}…`);
  });

  it('should end quietly when the stream is refused', async () => {
    const messages: string[] = [];
    await reportSteps(Promise.reject(new Error('quota')), (message) => {
      messages.push(message);
      return Promise.resolve();
    });
    expect(messages).toEqual([]);
  });
});
