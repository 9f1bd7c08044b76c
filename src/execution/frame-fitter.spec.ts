import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Part, StreamResponse, Task } from '../domain/a2a.js';
import { jsonBytes, WIRE_BYTES } from '../domain/document-size.js';
import { TaskFold } from '../domain/fold.js';
import { Bridge, type ShownFrame } from './bridge.js';
import { FrameFitter } from './frame-fitter.js';

const MIB = 1024 * 1024;
const ids = { taskId: 't', contextId: 'c' };
const WORKING = { state: 'TASK_STATE_WORKING', timestamp: '2026-01-01T00:00:00.000Z' } as const;

function emptyTask(over: Partial<Task> = {}): Task {
  return { id: 't', contextId: 'c', status: WORKING, ...over };
}

/** The document after a run, every file with its content beside it. */
function run(frames: Iterable<ShownFrame>, start = emptyTask(), leg = 1) {
  const fitter = new FrameFitter(start, leg);
  const bridge = new Bridge({ ...ids, leg, status: () => WORKING });
  const fold = new TaskFold(start);
  const files: { text: string; mediaType: string | undefined }[] = [];
  const keep = (part: Part): Part => {
    if (part.raw === undefined) return part;
    const { raw, ...rest } = part;
    files.push({ text: Buffer.from(raw, 'base64').toString(), mediaType: part.mediaType });
    return { ...rest, url: `nightjar-file:1/${files.length}` };
  };
  let longest = 0;
  const show = (events: readonly StreamResponse[]): void => {
    for (const event of events) {
      longest = Math.max(longest, jsonBytes(event));
      fold.apply(event);
    }
  };
  const take = (frame: ShownFrame): void => {
    const kept = 'parts' in frame ? { ...frame, parts: frame.parts.map(keep) } : frame;
    show(bridge.events(kept));
  };
  for (const frame of frames) fitter.fit(frame).forEach(take);
  fitter.rest().forEach(take);
  show([bridge.result(fitter.forResult)]);
  return { task: fold.task(), files, longest };
}

function textOf(task: Task, id: string): string {
  const artifact = task.artifacts?.find(({ artifactId }) => artifactId === id);
  return (artifact?.parts ?? []).map(({ text }) => text ?? '').join('');
}

const NOTE = /\n\n\[[^\]]* goes on in files of this task: [^\]]*\]$/;

describe('FrameFitter', () => {
  it('should leave alone what fits', () => {
    const frames: ShownFrame[] = [
      { kind: 'content', text: 'x'.repeat(2 * MIB - 2) },
      {
        kind: 'artifact',
        name: 'a',
        parts: [{ data: { n: 1 } }, { text: 't' }, { url: 'http://x' }],
      },
    ];
    const { task, files } = run(frames);
    expect(files).toEqual([]);
    expect(textOf(task, '1-answer')).toHaveLength(2 * MIB - 2);
    expect(task.artifacts?.[1]?.parts).toEqual([
      { data: { n: 1 } },
      { text: 't' },
      { url: 'http://x' },
    ]);
  });

  it('should carry a longer answer on in files, of which nothing is lost', () => {
    const texts = Array.from({ length: 500 }, (_, i) => `${i} "🌍好\u0001" `.repeat(600));
    const { task, files, longest } = run(texts.map((text) => ({ kind: 'content', text })));
    const shown = textOf(task, '1-answer');
    expect(shown).toMatch(NOTE);
    expect(shown.replace(NOTE, '') + files.map(({ text }) => text).join('')).toBe(texts.join(''));
    expect(files.length).toBeGreaterThan(1);
    for (const { text, mediaType } of files) {
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MIB);
      expect(mediaType).toBe('text/plain; charset=utf-8');
    }
    expect(longest).toBeLessThan(MIB + 1024);
    expect(jsonBytes(task)).toBeLessThan(WIRE_BYTES);
  });

  it('should keep long thoughts apart from the answer, each after a blank line', () => {
    const { task, files } = run([
      { kind: 'reason', text: 'x'.repeat(512 * 1024) },
      { kind: 'step', text: 'looking' },
      { kind: 'reason', text: 'second' },
      { kind: 'content', text: 'answer' },
    ]);
    expect(files.map(({ text }) => text)).toEqual([`xx\n\nsecond`]);
    expect(textOf(task, '1-thought-1')).toMatch(NOTE);
    expect(textOf(task, '1-answer')).toBe('answer');
  });

  it('should make files of large data and texts, with their type', () => {
    const data = { rows: 'x'.repeat(MIB) };
    const { task, files } = run([
      { kind: 'artifact', name: 'table', contentType: 'table', parts: [{ data }] },
      { kind: 'artifact', name: 'log', parts: [{ text: 'é'.repeat(MIB), metadata: { a: 1 } }] },
    ]);
    expect(files).toEqual([
      { text: JSON.stringify(data), mediaType: 'application/json' },
      { text: 'é'.repeat(MIB), mediaType: 'text/plain; charset=utf-8' },
    ]);
    const parts = (task.artifacts ?? []).flatMap((artifact) => artifact.parts);
    expect(parts[0]).toMatchObject({
      filename: 'table-1.json',
      metadata: { n9e_content_type: 'table' },
    });
    expect(parts[1]).toMatchObject({ filename: 'log-1.txt', metadata: { a: 1 } });
  });

  it('should leave room for text beside data', () => {
    const data: ShownFrame = {
      kind: 'artifact',
      name: 'd',
      parts: [{ data: 'x'.repeat(900_000) }],
    };
    const { task, files } = run([
      data,
      data,
      data,
      data,
      { kind: 'content', text: 'x'.repeat(400_000) },
    ]);
    expect(files).toHaveLength(2);
    expect(textOf(task, '1-answer')).toHaveLength(400_000);
  });

  it('should count what earlier runs have left, but not what it writes anew', () => {
    const text = 'x'.repeat(1.5 * MIB);
    const left = (artifactId: string): Task =>
      emptyTask({ artifacts: [{ artifactId, parts: [{ text }] }] });
    expect(run([{ kind: 'content', text }], left('1-answer'), 2).files.length).toBeGreaterThan(0);
    expect(run([{ kind: 'content', text }], left('1-answer'), 1).files).toHaveLength(0);
  });

  it('should never let a task outgrow the wire, whatever a backend does', () => {
    const size = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 1_500_000 }));
    const letter = fc.constantFrom('x', '\u0000', '好', '"');
    const text = fc.tuple(letter, size).map(([one, count]) => one.repeat(count));
    const frame = fc.oneof(
      text.map((t): ShownFrame => ({ kind: 'content', text: t })),
      text.map((t): ShownFrame => ({ kind: 'reason', text: t })),
      text.map((t): ShownFrame => ({ kind: 'step', text: t })),
      text.map((t): ShownFrame => ({
        kind: 'artifact',
        name: t,
        parts: [{ text: t }, { data: t }],
      })),
      text.map((t): ShownFrame => ({
        kind: 'artifact',
        name: 'f',
        parts: [{ raw: 'YQ==', metadata: { t } }],
      })),
    );
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 25 }), (frames) => {
        expect(jsonBytes(run(frames).task)).toBeLessThan(WIRE_BYTES);
      }),
      { numRuns: 15 },
    );
  });

  it('should say once that no more artifacts fit, and end a text that never ends', () => {
    const many = Array.from({ length: 9000 }, (): ShownFrame => ({
      kind: 'artifact',
      name: 'file',
      parts: [{ raw: 'YQ==' }],
    }));
    const fitter = new FrameFitter(emptyTask(), 1);
    const shown = many.flatMap((frame) => fitter.fit(frame));
    expect(shown.filter(({ kind }) => kind === 'step')).toHaveLength(1);
    expect(shown.length).toBeLessThan(5000);
    const endless = Array.from({ length: 40 }, (): ShownFrame => ({
      kind: 'content',
      text: 'x'.repeat(MIB),
    }));
    const texts = endless.flatMap((frame) => fitter.fit(frame));
    const files = texts.flatMap((frame) => ('parts' in frame ? frame.parts : []));
    expect(files).toHaveLength(33);
    expect(files.at(-1)?.text).toContain('ends here');
  });
});
