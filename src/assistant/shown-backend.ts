import type { AssistantBackend, Frame } from './assistant-backend.js';
import type { Redactor } from './llm/redactor.js';
import { shownFrames, shownText } from './shown-frames.js';

/**
 * The last gate before a task's log, of every backend but a module, whose words are its own: no frame
 * holds a secret of the tenant, what looks like a key, or a character that a screen hides.
 */
export function shownBackend(inner: AssistantBackend, redactor: Redactor): AssistantBackend {
  return {
    readOnly: inner.readOnly,
    run: (turn, signal, desk, meter) =>
      framesOf(inner.run(turn, signal, desk, meter), redactor, signal),
    ...(inner.lookBack === undefined
      ? {}
      : {
          lookBack: async (...args) => {
            const looked = await inner.lookBack?.(...args);
            return (looked ?? []).map((one) =>
              one.text === undefined ? one : { ...one, text: shownText(one.text, redactor) },
            );
          },
        }),
  };
}

async function* framesOf(
  frames: AsyncIterable<Frame>,
  redactor: Redactor,
  signal: AbortSignal,
): AsyncGenerator<Frame> {
  const shown = shownFrames(redactor);
  try {
    for await (const frame of frames) yield* shown.push(frame);
  } catch (error) {
    // What was said before it broke was said.
    if (!signal.aborted) yield* shown.flush();
    throw error;
  }
  yield* shown.flush();
}
