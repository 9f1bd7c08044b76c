import type { StreamResponse } from '../../domain/a2a.js';
import type { TaskStream } from '../../tasks/task.types.js';

/** Sends one progress notification; never rejects. */
export type ProgressSink = (message: string) => Promise<void>;

const LONGEST = 500;

/**
 * Tells the client each step of a run. A heartbeat of the stream repeats the last step, which keeps
 * clients alive that give up on a call without a sign of life (60 s is usual). Ends with the
 * stream; an error of the stream ends it too, since the answer does not depend on progress.
 */
export async function reportSteps(stream: Promise<TaskStream>, sink: ProgressSink): Promise<void> {
  let last = 'Still working';
  try {
    for await (const event of await stream) {
      const step = stepOf(JSON.parse(event.json) as StreamResponse);
      if (step !== undefined) last = step;
      if (step !== undefined || event.id === undefined) await sink(last);
    }
  } catch {
    return;
  }
}

/** The text of a step: a WORKING status with a message. */
function stepOf(event: StreamResponse): string | undefined {
  const status = 'statusUpdate' in event ? event.statusUpdate.status : undefined;
  if (status?.state !== 'TASK_STATE_WORKING') return undefined;
  const text = (status.message?.parts ?? []).flatMap((part) => part.text ?? []).join('\n');
  if (text === '') return undefined;
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
