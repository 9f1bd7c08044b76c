import type { TenantLimits } from '../config/limits.js';
import type { Part } from '../domain/a2a.js';
import { FILE_BYTES, fileUrl, type KeptFile } from '../domain/file-ref.js';
import { withoutHidden } from '../domain/hidden-characters.js';
import { resend } from '../redis/redis-errors.js';
import { ScriptCode } from '../redis/script-code.js';
import type { RedisFileStore } from '../store/redis-file.store.js';
import type { TaskKeys } from '../store/task-ref.js';
import { RunLostError } from '../streams/run-lost-error.js';

const OUTAGE_MS = 30_000;
const NAME_CHARS = 100;
const BINARY = 'application/octet-stream';

/**
 * Keeps the bytes of a run's file parts beside the task, so that events and snapshots stay small:
 * stored once, before the event that refers to them.
 */
export class RunFiles {
  private count = 0;

  constructor(
    private readonly store: RedisFileStore,
    private readonly keys: TaskKeys,
    private readonly limits: TenantLimits,
    private readonly epoch: number,
  ) {}

  /**
   * The parts with a reference in place of each `raw`; a file that is too large becomes a text that
   * says so.
   * @throws RunLostError
   */
  async keep(parts: readonly Part[]): Promise<readonly Part[]> {
    const kept: Part[] = [];
    for (const part of parts) {
      kept.push(part.raw === undefined ? part : await this.keepOne(part, part.raw));
    }
    return kept;
  }

  private async keepOne({ raw: _raw, ...part }: Part, raw: string): Promise<Part> {
    const bytes = Buffer.from(raw, 'base64');
    const shown = plainName(part.filename);
    if (bytes.length > FILE_BYTES) return tooLarge(shown, bytes.length);
    this.count += 1;
    const mediaType = part.mediaType ?? BINARY;
    // The epoch: what a fenced run still writes is never taken for a file of its successor.
    const name = `${this.epoch}-${this.count}-${shown}`;
    const file: KeptFile = { name, bytes: bytes.length, mediaType };
    const code = await this.write(file, bytes);
    if (code === ScriptCode.FilesFull) return tooLarge(shown, bytes.length);
    return { ...part, url: fileUrl(file), mediaType, filename: shown };
  }

  private async write(file: KeptFile, bytes: Buffer): Promise<number> {
    const send = (): Promise<number> =>
      this.store.keep(this.keys, this.epoch, file, bytes, this.limits);
    let code: number;
    try {
      code = await resend(send, { forMs: OUTAGE_MS });
    } catch (error) {
      throw new RunLostError('outage', error);
    }
    switch (code) {
      case ScriptCode.StaleEpoch:
        throw new RunLostError('fenced');
      case ScriptCode.Missing:
        throw new RunLostError('missing');
      case ScriptCode.Terminal:
        throw new RunLostError('ended');
      default:
        return code;
    }
  }
}

/**
 * A file name and nothing else: no folder, nothing that a screen hides or that turns the direction of
 * reading (`exe.gpj` shown as `jpg.exe`), no name that means a folder.
 */
function plainName(filename: string | undefined): string {
  const plain = withoutHidden(filename ?? '', '_')
    .replace(/[\n\t/\\:*?"<>|]/g, '_')
    .replace(/^\.+/, '')
    .trim();
  return plain === '' ? 'file' : Array.from(plain).slice(-NAME_CHARS).join('');
}

function tooLarge(name: string, bytes: number): Part {
  return { text: `[${name} was left out: its ${bytes} bytes are more than can be kept]` };
}
