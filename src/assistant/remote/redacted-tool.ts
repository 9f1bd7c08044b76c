import { isUtf8 } from 'node:buffer';
import type { JsonObject, Part } from '../../domain/a2a.js';
import { plainText } from '../../domain/hidden-characters.js';
import type { Frame } from '../assistant-backend.js';
import type { Redactor } from '../llm/redactor.js';
import { StreamRedactor } from '../llm/stream-redactor.js';
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
  const streams = {
    content: new StreamRedactor(redactor),
    reason: new StreamRedactor(redactor),
  };
  for (;;) {
    const step = await calling.next();
    const kind = step.done === true ? undefined : step.value.kind;
    for (const stream of ['reason', 'content'] as const) {
      if (stream === kind) continue;
      const rest = streams[stream].flush();
      if (rest !== '') yield { kind: stream, text: rest };
    }
    if (step.done === true) return answerWithout(step.value, redactor);
    const frame = step.value;
    if (frame.kind !== 'content' && frame.kind !== 'reason') {
      yield frameWithout(frame, redactor);
      continue;
    }
    // Hidden characters go first: dropped later, they would put a secret together again.
    const text = streams[frame.kind].push(plainText(frame.text));
    if (text !== '') yield { kind: frame.kind, text };
  }
}

function answerWithout(answer: RemoteAnswer, redactor: Redactor): RemoteAnswer {
  const { text, asks, ended, structured } = answer;
  const hide = (said: string): string => redactor.hide(plainText(said));
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

function frameWithout(frame: Frame, redactor: Redactor): Frame {
  switch (frame.kind) {
    case 'step':
      return { ...frame, text: redactor.hide(frame.text) };
    case 'artifact': {
      const { name, description, contentType } = frame;
      return {
        ...frame,
        name: redactor.hide(name),
        parts: frame.parts.map((part) => partWithout(part, redactor)),
        ...(description === undefined ? {} : { description: redactor.hide(description) }),
        ...(contentType === undefined ? {} : { contentType: redactor.hide(contentType) }),
      };
    }
    default:
      return frame;
  }
}

/** Text, data, metadata, the name and address of a file, and what a file of text says. */
function partWithout({ raw, ...rest }: Part, redactor: Redactor): Part {
  const part = redactor.hideIn(rest) as Part;
  if (raw === undefined) return part;
  const bytes = Buffer.from(raw, 'base64');
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8');
    const shown = redactor.hide(text);
    return { ...part, raw: shown === text ? raw : Buffer.from(shown).toString('base64') };
  }
  if (!redactor.isIn(bytes)) return { ...part, raw };
  const { filename = 'a file' } = part;
  return { text: `[${filename} was left out: it holds a secret of this gateway]` };
}
