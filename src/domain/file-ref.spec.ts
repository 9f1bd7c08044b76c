import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FILE_MARK, fileOf, fileUrl, formatFile, linkFiles, parseFiles } from './file-ref.js';

const file = fc.record({
  name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
  bytes: fc.nat(8 * 1024 * 1024),
  mediaType: fc.string({ unit: 'grapheme', maxLength: 40 }),
});

describe('a reference to a file', () => {
  it('should survive the way there and back, whatever the name', () => {
    fc.assert(
      fc.property(file, (kept) => {
        const part = { url: fileUrl(kept) };
        expect(fileOf(part)).toEqual({ name: kept.name, bytes: kept.bytes });
        expect(JSON.stringify(part)).toContain(FILE_MARK);
      }),
    );
  });

  it('should survive a name of a hundred signs of four bytes', () => {
    const kept = { name: `12-345-${'🌍'.repeat(96)}.png`, bytes: 1, mediaType: 'image/png' };
    expect(fileOf({ url: fileUrl(kept) })).toEqual({ name: kept.name, bytes: 1 });
  });

  it('should survive the list in the task hash', () => {
    fc.assert(
      fc.property(fc.array(file, { maxLength: 5 }), (files) => {
        expect(parseFiles(files.map(formatFile).join('\n'))).toEqual(files);
      }),
    );
  });

  it('should not be seen in a text that speaks of one', () => {
    const text = `see {"url":"nightjar-file:1/x"}`;
    expect(JSON.stringify({ text })).not.toContain(FILE_MARK);
    expect(fileOf({ text })).toBeUndefined();
    for (const url of [
      'nightjar-file:x/y',
      'nightjar-file:1/%zz',
      'https://x',
      'nightjar-file:1/',
    ]) {
      expect(fileOf({ url })).toBeUndefined();
    }
  });
});

describe('linkFiles', () => {
  const parts = [{ url: 'nightjar-file:5/1-1-a.png', mediaType: 'image/png' }, { text: 'x' }];
  const artifact = { artifactId: 'a', parts };
  const status = { state: 'TASK_STATE_WORKING', timestamp: '2026-11-30T12:00:00.000Z' } as const;

  it('should make links of the references of an event', () => {
    const update = { artifactUpdate: { taskId: 't 1', contextId: 'c', artifact } };
    const url = 'https://gw/a2a/tasks/t%201/artifacts/1-1-a.png';
    expect(linkFiles(update, 'https://gw')).toEqual({
      artifactUpdate: {
        ...update.artifactUpdate,
        artifact: { artifactId: 'a', parts: [{ url, mediaType: 'image/png' }, { text: 'x' }] },
      },
    });
    const task = { task: { id: 't', contextId: 'c', status, artifacts: [artifact] } };
    expect(JSON.stringify(linkFiles(task, 'https://gw'))).toContain('https://gw/a2a/tasks/t/');
    expect(update.artifactUpdate.artifact).toBe(artifact);
  });

  it('should leave any other event as it is', () => {
    for (const event of [
      { statusUpdate: { taskId: 't', contextId: 'c', status } },
      { task: { id: 't', contextId: 'c', status } },
      {
        artifactUpdate: {
          taskId: 't',
          contextId: 'c',
          artifact: { artifactId: 'a', parts: [{ text: 'x' }] },
        },
      },
    ]) {
      expect(linkFiles(event, 'https://gw')).toBe(event);
    }
  });
});
