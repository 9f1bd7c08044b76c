import { describe, expect, it } from 'vitest';
import { turnOf } from '../../test/support/fake-sources.js';
import type { AssistantBackend, Frame } from './assistant-backend.js';
import { Redactor } from './llm/redactor.js';
import { shownBackend } from './shown-backend.js';

async function* yielding(frames: readonly Frame[], end?: Error): AsyncGenerator<Frame> {
  for (const frame of frames) yield await Promise.resolve(frame);
  if (end !== undefined) throw end;
}

async function shown(frames: readonly Frame[], end?: Error): Promise<readonly Frame[]> {
  const inner: AssistantBackend = { readOnly: true, run: () => yielding(frames, end) };
  const seen: Frame[] = [];
  const backend = shownBackend(inner, new Redactor(['open sesame']));
  try {
    const { signal } = new AbortController();
    for await (const frame of backend.run(turnOf('hi'), signal)) seen.push(frame);
  } catch (error) {
    expect(error).toBe(end);
  }
  return seen;
}

function said(frames: readonly Frame[]): string {
  return frames
    .map((frame) => (frame.kind === 'content' ? frame.text : `<${frame.kind}>`))
    .join('');
}

describe('shownBackend', () => {
  it.each([
    ['escapes and bidi', 'a\u001b[31mred\u202e b', 'a[31mred b'],
    ['tags', `say\u{e0041}\u{e0042} hi`, 'say hi'],
    ['emoji', 'ok 👩🏽‍💻 ☁️ done', 'ok 👩🏽‍💻 ☁️ done'],
    ['line ends', 'a\r\nb\rc', 'a\nb\nc'],
    ['a secret', 'say open sesame now', 'say [redacted] now'],
    ['one with a hidden character', 'AKIA\u200bIOSFODNN7EXAMPLE x', '[redacted] x'],
    ['Han', '磁盘已满😀。', '磁盘已满😀。'],
  ])('should show %s alike, wherever the text is cut', async (_what, text, plain) => {
    for (let size = 1; size <= text.length; size += 1) {
      const frames: Frame[] = [];
      for (let at = 0; at < text.length; at += size) {
        frames.push({ kind: 'content', text: text.slice(at, at + size) });
      }
      expect(said(await shown(frames))).toBe(plain);
    }
  });

  it('should tell what was said before a step, and before it broke', async () => {
    const frames = [
      { kind: 'content', text: 'one' },
      { kind: 'step', text: 'open sesame' },
      { kind: 'content', text: 'two' },
    ] as const;
    expect(said(await shown(frames, new Error('broken')))).toBe('one<step>two');
  });

  it('should leave out what is secret or hidden of every other frame, but not of a proposal', async () => {
    const bad = 'x\u202eopen sesame';
    const plan = { args: 'open sesame' };
    const frames: readonly Frame[] = [
      {
        kind: 'step',
        text: bad,
        tool: { callId: 'c', name: 'n', outcome: 'success', output: bad },
      },
      {
        kind: 'artifact',
        name: bad,
        parts: [{ data: { [bad]: [bad] } }, { raw: Buffer.from('open sesame').toString('base64') }],
      },
      { kind: 'fail', reason: bad },
      { kind: 'reject', reason: bad },
      { kind: 'auth_required', question: bad },
      { kind: 'input_required', expects: 'text', question: bad },
      { kind: 'input_required', expects: 'approval', question: bad, plan },
    ];
    const seen = await shown(frames);
    expect(seen).toHaveLength(frames.length);
    expect(JSON.stringify(seen.slice(0, -1))).not.toMatch(/sesame|\u202e|b3BlbiBzZXNhbWU/);
    expect(seen.at(-1)).toEqual(frames.at(-1));
  });
});
