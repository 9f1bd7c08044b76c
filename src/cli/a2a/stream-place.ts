import type { SseBlock } from './sse-block.js';

const SETTLED =
  /^(?:TASK_STATE_)?(?:COMPLETED|FAILED|CANCELED|REJECTED|INPUT[_-]REQUIRED|AUTH[_-]REQUIRED)$/i;

/**
 * How far a stream has come: of which task it is, its last event id, and whether it has said its
 * last word. Reads the events of A2A 1.0 and 0.3, bare or in a JSON-RPC response.
 */
export class StreamPlace {
  taskId: string | undefined;
  lastEventId: string | undefined;
  settled = false;

  /** @returns whether the block brings news: a repeated snapshot of the task does not. */
  see(block: SseBlock): boolean {
    // An error event is the server's last word too.
    if (block.event === 'error') this.settled = true;
    const repeated = block.id !== undefined && block.id === this.lastEventId;
    if (block.id !== undefined) this.lastEventId = block.id;
    const document = parse(block.data);
    if (field(document, 'error') !== undefined) this.settled = true;
    const event = field(document, 'result') ?? document;
    const inner =
      field(event, 'task') ??
      field(event, 'statusUpdate') ??
      field(event, 'artifactUpdate') ??
      event;
    const id = field(inner, 'taskId') ?? field(inner, 'id');
    if (typeof id === 'string') this.taskId = id;
    const state = field(field(inner, 'status'), 'state');
    if (typeof state === 'string') this.settled ||= SETTLED.test(state);
    const snapshot = field(event, 'task') !== undefined || field(event, 'kind') === 'task';
    return block.id === undefined ? !snapshot : !repeated;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}
