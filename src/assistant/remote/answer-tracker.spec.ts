import { describe, expect, it } from 'vitest';
import type { Part, StreamResponse } from '../../domain/a2a.js';
import { AnswerTracker } from './answer-tracker.js';

const ids = { taskId: 't', contextId: 'c' };

function piece(parts: readonly Part[], append = true, artifactId = 'a'): StreamResponse {
  return { artifactUpdate: { ...ids, artifact: { artifactId, parts }, append } };
}

function told(tracker: AnswerTracker, ...events: StreamResponse[]): string {
  return events
    .flatMap((event) => tracker.see(event))
    .map((news) => (news.kind === 'text' ? news.text : ''))
    .join('');
}

describe('AnswerTracker', () => {
  it('should tell nothing twice when a run is repeated from its start', () => {
    const tracker = new AnswerTracker();
    expect(told(tracker, piece([{ text: 'one ' }], false), piece([{ text: 'two ' }]))).toBe(
      'one two ',
    );
    expect(told(tracker, piece([{ text: 'one ' }], false), piece([{ text: 'two ' }]))).toBe('');
    expect(told(tracker, piece([{ text: 'three' }]))).toBe('three');
    expect(tracker.text).toBe('one two three');
  });

  it('should say what is different, after what cannot be taken back', () => {
    const tracker = new AnswerTracker();
    expect(told(tracker, piece([{ text: 'maybe' }], false))).toBe('maybe');
    expect(told(tracker, piece([{ text: 'no' }], false))).toBe('\n\nno');
    expect(tracker.text).toBe('no');
  });

  it('should keep two artifacts apart', () => {
    const tracker = new AnswerTracker();
    expect(told(tracker, piece([{ text: 'a' }], false), piece([{ text: 'b' }], false, 'b'))).toBe(
      'a\n\nb',
    );
    expect(tracker.text).toBe('a\n\nb');
  });

  it('should tell a file once, and nothing of the document that closes a task of ours', () => {
    const tracker = new AnswerTracker();
    const file = { raw: 'YQ==', filename: 'a' };
    const kinds = (event: StreamResponse): string[] => tracker.see(event).map(({ kind }) => kind);
    expect(kinds(piece([file], false, 'f'))).toEqual(['part']);
    expect(kinds(piece([file], false, 'f'))).toEqual([]);
    const data = { session: 's', answer: 'a', steps: 0, tool_calls: 0, evidence: [] };
    const artifact = { artifactId: 'r', name: 'result', parts: [{ data }] };
    expect(tracker.see({ artifactUpdate: { ...ids, artifact } })).toEqual([]);
  });
});
