import type { JsonObject } from '../../domain/a2a.js';
import type { Frame } from '../assistant-backend.js';
import type { Redactor } from '../llm/redactor.js';
import { shownFrames, shownText } from '../shown-frames.js';
import type { RemoteAnswer, RemoteTool } from './remote-tool.js';

/**
 * The same tool, which tells no secret: neither in what it says of itself, nor in anything that a call
 * brings. Every remote tool is made by this, so that none of the ways to its words (an answer that is
 * shown, evidence, a model, a direct call, an approval, a log) has to think of it.
 */
export function redactedTool(tool: RemoteTool, redactor: Redactor): RemoteTool {
  return {
    ...tool,
    description: redactor.hide(tool.description),
    inputSchema: redactor.hideIn(tool.inputSchema) as JsonObject,
    call: (args, scene) => redactedCall(tool.call(args, scene), redactor),
  };
}

async function* redactedCall(
  calling: AsyncGenerator<Frame, RemoteAnswer>,
  redactor: Redactor,
): AsyncGenerator<Frame, RemoteAnswer> {
  const shown = shownFrames(redactor);
  for (;;) {
    const step = await calling.next();
    if (step.done === true) {
      yield* shown.flush();
      return answerWithout(step.value, redactor);
    }
    yield* shown.push(step.value);
  }
}

function answerWithout(answer: RemoteAnswer, redactor: Redactor): RemoteAnswer {
  const { text, asks, ended, structured } = answer;
  const hide = (said: string): string => shownText(said, redactor);
  return {
    ...answer,
    text: hide(text),
    ...(structured === undefined ? {} : { structured: redactor.hideIn(structured) as JsonObject }),
    ...(asks === undefined ? {} : { asks: { ...asks, question: hide(asks.question) } }),
    ...(ended === undefined
      ? {}
      : { ended: { ...ended, partial: hide(ended.partial), reason: hide(ended.reason) } }),
  };
}
