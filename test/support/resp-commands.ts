/**
 * Reads the commands that a client sends (RESP arrays of bulk strings) out of a byte stream, and
 * tells where each ends. Anything else on the wire is a bug of the test bench.
 */
export class RespCommands {
  private buffer: Buffer = Buffer.alloc(0);

  /**
   * The whole commands that are complete with this chunk: their first arguments in lower case
   * (`args`, each cut at 200 bytes) and their bytes.
   */
  push(chunk: Buffer): { args: readonly string[]; bytes: Buffer }[] {
    this.buffer = this.buffer.length === 0 ? chunk : Buffer.concat([this.buffer, chunk]);
    const commands: { args: readonly string[]; bytes: Buffer }[] = [];
    for (;;) {
      const found = this.next();
      if (found === undefined) return commands;
      commands.push({ args: found.args, bytes: this.buffer.subarray(0, found.end) });
      this.buffer = this.buffer.subarray(found.end);
    }
  }

  private next(): { args: string[]; end: number } | undefined {
    const head = this.line(0, '*');
    if (head === undefined) return undefined;
    const args: string[] = [];
    let at = head.end;
    for (let i = 0; i < head.value; i += 1) {
      const size = this.line(at, '$');
      if (size === undefined || size.end + size.value + 2 > this.buffer.length) return undefined;
      const text = this.buffer.toString('utf8', size.end, size.end + Math.min(size.value, 200));
      args.push(i === 0 ? text.toLowerCase() : text);
      at = size.end + size.value + 2;
    }
    return { args, end: at };
  }

  private line(at: number, type: string): { value: number; end: number } | undefined {
    const end = this.buffer.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const text = this.buffer.toString('latin1', at, end);
    if (!text.startsWith(type)) throw new Error(`not a RESP command: ${text.slice(0, 40)}`);
    return { value: Number(text.slice(1)), end: end + 2 };
  }
}
