import { describe, expect, it } from 'vitest';
import type { StreamResponse } from '../domain/a2a.js';
import { Bridge } from './bridge.js';
import { statusOf } from './status-of.js';

const ids = { taskId: 't', contextId: 'c' };

function bridge(leg = 1): Bridge {
  return new Bridge({
    ...ids,
    leg,
    status: (text) => statusOf('TASK_STATE_WORKING', 0, ids, text),
  });
}

function update(event: StreamResponse | undefined): {
  id: string;
  append: boolean | undefined;
  parts: unknown;
} {
  if (event === undefined || !('artifactUpdate' in event)) throw new Error('no artifact event');
  const { artifact, append } = event.artifactUpdate;
  return { id: artifact.artifactId, append, parts: artifact.parts };
}

describe('Bridge', () => {
  it('should grow one artifact by content', () => {
    const b = bridge();
    expect(update(b.events({ kind: 'content', text: 'x' })[0])).toEqual({
      id: '1-answer',
      append: false,
      parts: [{ text: 'x' }],
    });
    expect(update(b.events({ kind: 'content', text: 'y' })[0])).toMatchObject({ append: true });
    expect(b.text).toBe('xy');
  });

  it('should begin a new thought after each step, marked as one', () => {
    const b = bridge();
    const thought = (text: string): unknown => update(b.events({ kind: 'reason', text })[0]);
    expect(thought('a')).toEqual({
      id: '1-thought-1',
      append: false,
      parts: [{ text: 'a', metadata: { adk_thought: true } }],
    });
    expect(thought('b')).toMatchObject({ id: '1-thought-1', append: true });
    b.events({ kind: 'step', text: 'looking' });
    expect(thought('c')).toMatchObject({ id: '1-thought-2', append: false });
  });

  it('should never make an event with empty parts or empty text', () => {
    const b = bridge();
    expect(b.events({ kind: 'content', text: '' })).toEqual([]);
    expect(b.events({ kind: 'reason', text: '' })).toEqual([]);
    expect(b.events({ kind: 'artifact', name: 'x', parts: [] })).toEqual([]);
  });

  it('should split a large text without cutting a character', () => {
    const text = '好🌍'.repeat(20_000);
    const events = bridge().events({ kind: 'content', text });
    const parts = events.map((event) => (update(event).parts as { text: string }[])[0]?.text ?? '');
    expect(parts.join('')).toBe(text);
    expect(parts.every((part) => part.length <= 16 * 1024 && !/[\ud800-\udfff]/u.test(part))).toBe(
      true,
    );
  });

  it('should tell the status of a step', () => {
    const [event] = bridge().events({ kind: 'step', text: 'reading alerts' });
    expect(event).toMatchObject({
      statusUpdate: {
        status: { state: 'TASK_STATE_WORKING', message: { parts: [{ text: 'reading alerts' }] } },
      },
    });
  });

  it('should name what an earlier attempt of this leg left, and nothing of another leg', () => {
    const b = bridge(2);
    b.events({ kind: 'content', text: 'x' });
    const left = b.superseded(['1-answer', '2-answer', '2-thought-1']);
    expect(left.map((event) => update(event).id)).toEqual(['2-thought-1']);
    expect(left[0]).toMatchObject({
      artifactUpdate: { append: false, artifact: { metadata: { superseded: true } } },
    });
  });

  it('should close with a result: at most 8 failed tools, 64 pieces of evidence, 4 KiB each', () => {
    const b = bridge();
    for (let i = 0; i < 70; i += 1) {
      const outcome = i % 2 === 0 ? ('failed' as const) : ('success' as const);
      const tool = { callId: String(i), name: 'list_alerts', outcome, output: 'x'.repeat(5000) };
      b.events({ kind: 'step', text: 'call', tool });
    }
    const parts = update(b.result(1024 * 1024)).parts as { data: Record<string, unknown> }[];
    const data = parts[0]?.data ?? {};
    expect(data).toMatchObject({
      session: 'c',
      steps: 70,
      tool_calls: 70,
      evidence_truncated: true,
    });
    expect(data['failed_tools']).toHaveLength(8);
    const evidence = data['evidence'] as { output: string; truncated: boolean }[];
    expect(evidence).toHaveLength(64);
    expect(evidence[0]).toMatchObject({ truncated: true });
    expect(evidence[0]?.output).toHaveLength(4096);
  });

  it('should close with a result that fits, and says what it leaves out', () => {
    const b = bridge();
    const output = '错'.repeat(4096);
    b.events({ kind: 'content', text: 'x'.repeat(200_000) });
    for (let i = 0; i < 64; i += 1) {
      const tool = { callId: String(i), name: 'list_alerts', outcome: 'success' as const, output };
      b.events({ kind: 'step', text: 'call', tool });
    }
    const dataOf = (bytes: number): Record<string, unknown> =>
      (update(b.result(bytes)).parts as { data: Record<string, unknown> }[])[0]!.data;
    expect(dataOf(2_000_000)).not.toHaveProperty('answer_truncated');
    const short = dataOf(830_000);
    expect(short).toMatchObject({ answer: 'x'.repeat(8192), answer_truncated: true });
    expect(short['evidence']).toContainEqual(expect.objectContaining({ output, truncated: false }));
    const shortest = dataOf(64_000);
    expect(JSON.stringify(shortest).length).toBeLessThan(64_000);
    expect(shortest['evidence']).toContainEqual(
      expect.objectContaining({ output: '错'.repeat(64), truncated: true }),
    );
  });
});
