import { isUtf8 } from 'node:buffer';
import type { Part } from '../domain/a2a.js';
import { plainText } from '../domain/hidden-characters.js';
import type { Frame } from './assistant-backend.js';
import type { Redactor } from './llm/redactor.js';
import { StreamRedactor } from './llm/stream-redactor.js';

/** Frames on their way out; those that stream are a word behind. */
export interface ShownFrames {
  push(frame: Frame): Generator<Frame>;
  /** What was held back. */
  flush(): Generator<Frame>;
}

/** A character of which more may come: half a pair, the first of CR LF, an emoji that may be joined. */
const OPEN =
  /(?:(?:\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d)*\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d?[\ud800-\udbff]?|[\ud800-\udbff]|\r)$/u;
/** Longer than any emoji. */
const OPEN_CHARS = 64;

/** Text in pieces, without hidden characters and secrets, wherever it is cut. */
class ShownStream {
  private held = '';
  private readonly redacted: StreamRedactor;

  constructor(redactor: Redactor) {
    this.redacted = new StreamRedactor(redactor);
  }

  push(text: string): string {
    const all = this.held + text;
    const open = OPEN.exec(all.slice(-OPEN_CHARS))?.[0] ?? '';
    const end = all.length - open.length;
    this.held = all.slice(end);
    // Hidden characters go first: dropped later, they would put a secret together again.
    return this.redacted.push(plainText(all.slice(0, end)));
  }

  flush(): string {
    const rest = plainText(this.held);
    this.held = '';
    return this.redacted.push(rest) + this.redacted.flush();
  }
}

export function shownFrames(redactor: Redactor): ShownFrames {
  const streams = { reason: new ShownStream(redactor), content: new ShownStream(redactor) };
  function* flush(but?: Frame['kind']): Generator<Frame> {
    for (const kind of ['reason', 'content'] as const) {
      const rest = kind === but ? '' : streams[kind].flush();
      if (rest !== '') yield { kind, text: rest };
    }
  }
  return {
    flush,
    *push(frame) {
      yield* flush(frame.kind);
      if (frame.kind === 'content' || frame.kind === 'reason') {
        const text = streams[frame.kind].push(frame.text);
        if (text !== '') yield { kind: frame.kind, text };
      } else yield frameWithout(frame, redactor);
    },
  };
}

/** A whole text. */
export function shownText(text: string, redactor: Redactor): string {
  return redactor.hide(plainText(text));
}

function frameWithout(frame: Frame, redactor: Redactor): Frame {
  const hide = (text: string): string => shownText(text, redactor);
  switch (frame.kind) {
    case 'content':
    case 'reason':
      return { ...frame, text: hide(frame.text) };
    case 'step': {
      const { text, tool } = frame;
      if (tool === undefined) return { ...frame, text: hide(text) };
      const { name, callId, output } = tool;
      const shown = { ...tool, name: hide(name), callId: hide(callId), output: hide(output) };
      return { ...frame, text: hide(text), tool: shown };
    }
    case 'artifact': {
      const { name, description, contentType } = frame;
      return {
        ...frame,
        name: hide(name),
        parts: frame.parts.map((part) => partWithout(part, redactor)),
        ...(description === undefined ? {} : { description: hide(description) }),
        ...(contentType === undefined ? {} : { contentType: hide(contentType) }),
      };
    }
    case 'input_required':
      // A proposal is shown as it will be done, and checked where it is made.
      if (frame.expects === 'approval' && frame.plan !== undefined) return frame;
      return { ...frame, question: hide(frame.question) };
    case 'auth_required':
      return { ...frame, question: hide(frame.question) };
    case 'reject':
    case 'fail':
      return { ...frame, reason: hide(frame.reason) };
    // Not shown.
    case 'memory':
      return frame;
  }
}

/** Text, data, metadata, the name and address of a file, and what a file of text says. */
function partWithout({ raw, ...rest }: Part, redactor: Redactor): Part {
  const part = redactor.hideEvery(rest, (text) => shownText(text, redactor)) as Part;
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
