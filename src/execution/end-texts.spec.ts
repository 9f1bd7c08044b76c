import { describe, expect, it } from 'vitest';
import { OPERATOR, SUSPENDED } from '../domain/cancel-mark.js';
import { canceled, ENDED, isChinese, listDeeds, unsure, UNMARKED } from './end-texts.js';

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

  it('should tell a user who writes Chinese in Chinese that something may have been done', () => {
    expect(unsure([UNMARKED], true)).toBe(
      '执行该任务的实例已丢失，操作可能已经执行。重新提出前请先确认',
    );
    expect(unsure(['silence 7'], true)).toContain('当时即将执行：silence 7。');
    expect(isChinese({ text: '静默 DiskFull' })).toBe(true);
    expect(isChinese({ text: 'silence DiskFull' })).toBe(false);
    expect(isChinese({ text: '静默 DiskFull', lang: 'en' })).toBe(false);
    expect(isChinese({ text: 'yes', lang: 'zh_CN' })).toBe(true);
  });

  it('should say of a question without an answer that nothing came of it', () => {
    expect(ENDED.expired).toMatch(/not answered in time; nothing more was done/);
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
