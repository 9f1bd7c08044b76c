import { Logger } from '@nestjs/common';
import type { AssistantBackend, Frame, Meter, Turn } from '../assistant-backend.js';
import { wordsFor } from '../llm/words.js';
import type { WriteDesk } from '../writes/write-desk.js';
import { checkFrame, FrameError } from './frame-check.js';

/** What a module gives us: `run` of an AssistantBackend, whose frames nobody has checked yet. */
export interface ModuleAgent {
  run(turn: Turn, signal: AbortSignal): AsyncIterable<unknown>;
}

/** Shown to the user whatever went wrong inside the module; the operator's log says what. */
export const MODULE_FAILED = 'The assistant of this tenant failed.';

/**
 * Runs the agent of an operator's module. The module is foreign code: each frame is checked, a
 * throw and a wrong frame end the run with a fixed text, an abort ends it even when the module does
 * not listen, and so does the first tool call beyond the day's allowance.
 */
export class ModuleBackend implements AssistantBackend {
  private readonly log = new Logger(ModuleBackend.name);

  constructor(
    private readonly agent: ModuleAgent,
    private readonly path: string,
    readonly readOnly: boolean,
  ) {}

  async *run(
    turn: Turn,
    signal: AbortSignal,
    _desk?: WriteDesk,
    meter?: Meter,
  ): AsyncIterable<Frame> {
    try {
      for await (const value of abortable(this.agent.run(turn, signal), signal)) {
        const frame = checkFrame(value);
        yield frame;
        // Its tools are its own: they are counted once it says that it has called one.
        if (frame.kind !== 'step' || frame.tool === undefined) continue;
        const short = await meter?.take('tools', 1);
        if (short === undefined) continue;
        yield { kind: 'fail', reason: wordsFor(turn.lang, turn.text).toolsSpent(short.whose) };
        return;
      }
    } catch (error) {
      signal.throwIfAborted();
      const what = error instanceof FrameError ? 'yielded something wrong' : 'threw';
      const detail = error instanceof Error ? (error.stack ?? error.message) : String(error);
      this.log.error({
        msg: `module of tenant ${turn.tenant} (${this.path}) ${what} in task ${turn.taskId}: ${detail}`,
        tenant: turn.tenant,
        taskId: turn.taskId,
        requestId: turn.requestId,
      });
      yield { kind: 'fail', reason: MODULE_FAILED };
    }
  }
}

async function* abortable(source: AsyncIterable<unknown>, signal: AbortSignal): AsyncGenerator {
  signal.throwIfAborted();
  if (
    typeof (source as { [Symbol.asyncIterator]?: unknown })[Symbol.asyncIterator] !== 'function'
  ) {
    throw new FrameError('run() did not return an async iterable');
  }
  const iterator = source[Symbol.asyncIterator]();
  let refuse = (_reason: Error): void => undefined;
  const onAbort = (): void => {
    refuse(signal.reason as Error);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  let open = true;
  try {
    for (;;) {
      signal.throwIfAborted();
      // Not a race with one promise of the whole run: that would keep a reaction for each frame.
      const next = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
        refuse = reject;
        Promise.resolve(iterator.next()).then(resolve, reject);
      });
      if (next.done === true) {
        open = false;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a module that hangs would hang us too.
    if (open) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
