import type { Frame } from '../assistant/assistant-backend.js';
import type { Part, Task } from '../domain/a2a.js';
import { jsonBytes } from '../domain/document-size.js';
import { startOf } from '../domain/text.js';
import type { ShownFrame } from './bridge.js';
import { ANSWER, LongText, PLAIN_TEXT, THOUGHTS } from './long-text.js';
import { Room } from './room.js';

const STEP_CHARS = 8 * 1024;
/** Of a question, a reason, and of what an artifact says of itself. */
const SAID_CHARS = 16 * 1024;
const NAME_CHARS = 256;
/** What a reference needs beside what the part has already. */
const REFERENCE_BYTES = 512;
const FULL = 'This task holds as much as it may: further artifacts are left out';

type ArtifactFrame = Extract<Frame, { kind: 'artifact' }>;

/**
 * Makes the frames of a run fit into its task's document: what is too long goes on in files
 * (`raw` parts), so that no event and no task outgrows the wire, and nothing of an answer is lost.
 */
export class FrameFitter {
  private readonly room: Room;
  private readonly answer: LongText;
  private readonly thoughts: LongText;
  private saidFull = false;

  /** @param task as the run finds it. */
  constructor(task: Task, leg: number) {
    this.room = new Room(task, leg);
    this.answer = new LongText(ANSWER, this.room);
    this.thoughts = new LongText(THOUGHTS, this.room);
  }

  fit(frame: ShownFrame): ShownFrame[] {
    switch (frame.kind) {
      case 'content':
        return this.answer.add(frame.text);
      case 'reason':
        return this.thoughts.add(frame.text);
      case 'step':
        this.thoughts.pause();
        return [{ ...frame, text: said(frame.text, STEP_CHARS) }];
      case 'artifact':
        return this.artifact(frame);
    }
  }

  /** What was kept back for files; at the end of a run. */
  rest(): ShownFrame[] {
    return [...this.answer.end(), ...this.thoughts.end()];
  }

  /** Bytes of JSON that the result may have. */
  get forResult(): number {
    return this.room.forResult;
  }

  private artifact(frame: ArtifactFrame): ShownFrame[] {
    const name = startOf(frame.name, NAME_CHARS);
    const description =
      frame.description === undefined ? {} : { description: said(frame.description, SAID_CHARS) };
    const head = { ...frame, name, ...description, parts: [] };
    if (!this.room.takeLine(jsonBytes(head))) return this.full();
    this.room.beginArtifact();
    const parts = frame.parts.flatMap((part, index) => this.part(part, `${name}-${index + 1}`));
    const fitted = parts.length > 0 ? [{ ...head, parts }] : [];
    return parts.length < frame.parts.length ? [...fitted, ...this.full()] : fitted;
  }

  private part(part: Part, name: string): Part[] {
    const { raw, ...rest } = part;
    if (raw !== undefined) {
      return this.room.takeLine(jsonBytes(rest) + REFERENCE_BYTES) ? [part] : [];
    }
    if (this.room.takePart(jsonBytes(part))) return [part];
    if (part.url !== undefined) return [];
    const file = asFile(part, name);
    return this.room.takeLine(REFERENCE_BYTES + jsonBytes({ ...file, raw: '' })) ? [file] : [];
  }

  private full(): ShownFrame[] {
    if (this.saidFull) return [];
    this.saidFull = true;
    return [{ kind: 'step', text: FULL }];
  }
}

/** A text of the assistant's, cut to what a status may carry. */
export function said(text: string, most = SAID_CHARS): string {
  return text.length <= most ? text : `${startOf(text, most)}…`;
}

/** A text or data part as a file: same media type, same metadata. */
function asFile({ text, data, ...rest }: Part, name: string): Part {
  const content = text ?? JSON.stringify(data);
  const isText = text !== undefined;
  return {
    ...rest,
    raw: Buffer.from(content).toString('base64'),
    filename: rest.filename ?? `${name}.${isText ? 'txt' : 'json'}`,
    mediaType: rest.mediaType ?? (isText ? PLAIN_TEXT : 'application/json'),
  };
}
