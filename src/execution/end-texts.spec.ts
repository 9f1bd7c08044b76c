import { describe, expect, it } from 'vitest';
import { OPERATOR, SUSPENDED } from '../domain/cancel-mark.js';
import { canceled, ENDED, listDeeds, unsure, UNMARKED } from './end-texts.js';

describe('the text with which a task is ended', () => {
  it('should name what may have been done, but no backend of which nobody knows what it does', () => {
    expect(unsure([UNMARKED])).toBe(ENDED.unsure);
    expect(unsure(['silence 7', UNMARKED, 'silence 8'])).toBe(
      `${ENDED.unsure}. It was about to: silence 7; silence 8`,
    );
    expect(canceled(['silence 7', UNMARKED], 'user')).toBe(
      `${ENDED.canceled}. May have been done: silence 7`,
    );
  });

  it.each([
    ['user', ENDED.canceled],
    [OPERATOR, ENDED.operator],
    [SUSPENDED, ENDED.suspended],
  ])('should say who canceled by the mark %s', (mark, text) => {
    expect(canceled([], mark)).toBe(text);
  });

  it('should tell apart what was done and what may have been', () => {
    expect(listDeeds([])).toBe('');
    expect(
      listDeeds([
        { text: 'silence 7', outcome: 'done' },
        { text: 'silence 8', outcome: 'unknown' },
      ]),
    ).toBe(' done: silence 7; may have been done: silence 8');
  });
});
