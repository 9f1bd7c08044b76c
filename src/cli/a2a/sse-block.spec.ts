import { describe, expect, it } from 'vitest';
import { formatSseBlock, readSseBlocks, type SseBlock } from './sse-block.js';

/** The text in chunks of `size` bytes, which also cuts characters in two. */
function stream(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start: (controller) => {
      for (let at = 0; at < bytes.length; at += size) {
        controller.enqueue(bytes.slice(at, at + size));
      }
      controller.close();
    },
  });
}

async function blocks(text: string, size = 1): Promise<readonly SseBlock[]> {
  const all: SseBlock[] = [];
  for await (const block of readSseBlocks(stream(text, size))) all.push(block);
  return all;
}

describe('readSseBlocks', () => {
  it.each([1, 2, 3, 1000])(
    'should read fields, comments and UTF-8 in chunks of %d',
    async (size) => {
      const text = ': hello\n\nid: 1-1\nretry: 5\ndata: {"a":"你好🌍"}\n\nevent: error\ndata:x\n\n';
      expect(await blocks(text, size)).toEqual([
        { event: 'message', data: '{"a":"你好🌍"}', id: '1-1' },
        { event: 'error', data: 'x', id: undefined },
      ]);
    },
  );

  it('should join data lines and take every kind of line end', async () => {
    expect(await blocks('data: a\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n')).toEqual([
      { event: 'message', data: 'a\nb', id: undefined },
      { event: 'message', data: 'c', id: undefined },
      { event: 'message', data: 'd', id: undefined },
    ]);
  });

  it('should not give out a block that broke off', async () => {
    expect(await blocks('data: a\n\ndata: b\n')).toHaveLength(1);
  });
});

describe('formatSseBlock', () => {
  it('should write what it read', async () => {
    const block = { event: 'error', data: 'a\nb', id: undefined };
    expect(await blocks(formatSseBlock(block))).toEqual([block]);
  });
});
