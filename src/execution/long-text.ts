import { jsonBytes } from '../domain/document-size.js';
import { TASK_FILE_BYTES } from '../domain/file-ref.js';
import type { ShownFrame } from './bridge.js';
import type { Room } from './room.js';

/** Text that goes on in files does so in files of this size: so much of it is held in memory. */
const FILE_TEXT_BYTES = 1024 * 1024;
const MOST_FILES = TASK_FILE_BYTES / FILE_TEXT_BYTES;
export const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** A text that grows by frames: the answer, or the thoughts. */
interface Growing {
  readonly kind: 'content' | 'reason';
  /** Of its files. */
  readonly name: string;
  /** What it is called where it breaks off. */
  readonly title: string;
  /** Bytes of it that are shown at most, whatever room there is. */
  readonly most: number;
}

export const ANSWER: Growing = {
  kind: 'content',
  name: 'answer',
  title: 'The answer',
  most: Infinity,
};
/** Most of the room is left to the answer. */
export const THOUGHTS: Growing = {
  kind: 'reason',
  name: 'thoughts',
  title: 'This train of thought',
  most: 512 * 1024,
};

/**
 * A text that may outgrow its task: what there is room for is shown as it comes, the rest goes into
 * files, piece by piece, and the text says so where it breaks off. Nothing of it is lost.
 */
export class LongText {
  private isFull = false;
  private shown = 0;
  private files = 0;
  private rest = '';
  private restBytes = 0;

  constructor(
    private readonly of: Growing,
    private readonly room: Room,
  ) {}

  add(text: string): ShownFrame[] {
    if (this.isFull) return this.keep(text);
    if (this.take(text)) return [{ kind: this.of.kind, text }];
    this.isFull = true;
    const head = fitting(text, Math.min(this.room.textLeft, this.of.most - this.shown));
    this.take(head);
    const note = `\n\n[${this.of.title} goes on in files of this task: ${this.fileName(1)}, …]`;
    this.room.takeLine(jsonBytes(note));
    return [{ kind: this.of.kind, text: head + note }, ...this.keep(text.slice(head.length))];
  }

  /** What follows begins a paragraph of its own, where it is in files. */
  pause(): void {
    if (this.rest !== '' && !this.rest.endsWith('\n')) this.keep('\n\n');
  }

  /** What was kept back, at the end of a run. */
  end(): ShownFrame[] {
    if (this.rest === '') return [];
    const last = this.file(this.rest);
    this.rest = '';
    return [last];
  }

  private take(text: string): boolean {
    const bytes = jsonBytes(text);
    if (this.shown + bytes > this.of.most || !this.room.takeText(bytes)) return false;
    this.shown += bytes;
    return true;
  }

  private keep(text: string): ShownFrame[] {
    if (this.files > MOST_FILES) return [];
    this.rest += text;
    this.restBytes += Buffer.byteLength(text);
    const frames: ShownFrame[] = [];
    while (this.restBytes > FILE_TEXT_BYTES) {
      const piece = utf8Start(this.rest, FILE_TEXT_BYTES);
      this.rest = this.rest.slice(piece.length);
      this.restBytes -= Buffer.byteLength(piece);
      frames.push(this.file(piece));
      if (this.files > MOST_FILES) break;
    }
    return frames;
  }

  private file(text: string): ShownFrame {
    this.files += 1;
    const { name, title } = this.of;
    const raw = Buffer.from(text).toString('base64');
    const filename = this.fileName(this.files);
    const isOneTooMany = this.files > MOST_FILES;
    if (isOneTooMany) this.rest = '';
    return {
      kind: 'artifact',
      name: `${name}, continued (${this.files})`,
      description: `${title}, continued: it is too long to be shown whole`,
      parts: [
        isOneTooMany
          ? { text: `[${title} ends here: it is longer than a task may keep]` }
          : { raw, filename, mediaType: PLAIN_TEXT },
      ],
    };
  }

  private fileName(number: number): string {
    return `${this.of.name}-continued-${number}.txt`;
  }
}

/** As much of the text as `bytes` of JSON hold, by whole characters. */
function fitting(text: string, bytes: number): string {
  let left = bytes - 2;
  let end = 0;
  for (const character of text) {
    left -= jsonBytes(character) - 2;
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** As much of the text as `bytes` of UTF-8 hold, by whole characters. */
function utf8Start(text: string, bytes: number): string {
  const encoded = Buffer.from(text.slice(0, bytes));
  let end = Math.min(bytes, encoded.length);
  while (end > 0 && end < encoded.length && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.subarray(0, end).toString();
}
