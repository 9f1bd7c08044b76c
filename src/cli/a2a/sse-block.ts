/** One block of an event stream (HTML standard, 9.2.6). A block of comments alone has no data. */
export interface SseBlock {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
}

/**
 * Cuts an event stream into its blocks as they become complete. A block that the connection broke
 * off in the middle is never given out.
 */
export async function* readSseBlocks(body: ReadableStream<Uint8Array>): AsyncGenerator<SseBlock> {
  const decoder = new TextDecoder();
  let pending = '';
  let lines: string[] = [];
  for await (const chunk of body) {
    pending += decoder.decode(chunk, { stream: true });
    // A lone CR at the end may be half of a CRLF.
    const complete = pending.endsWith('\r') ? pending.length - 1 : pending.length;
    const parts = pending.slice(0, complete).split(/\r\n|\n|\r/);
    pending = (parts.pop() ?? '') + pending.slice(complete);
    for (const line of parts) {
      if (line !== '') {
        lines.push(line);
        continue;
      }
      const block = parseBlock(lines);
      lines = [];
      if (block !== undefined) yield block;
    }
  }
}

export function formatSseBlock({ event, data }: SseBlock): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`);
  return `event: ${event}\n${lines.join('')}\n`;
}

function parseBlock(lines: readonly string[]): SseBlock | undefined {
  let event = 'message';
  let id: string | undefined;
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id') id = value;
  }
  return data.length === 0 ? undefined : { event, data: data.join('\n'), id };
}
