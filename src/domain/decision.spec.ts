import { describe, expect, it } from 'vitest';
import { decisionOf, isDecision, isLeaving } from './decision.js';

describe('isLeaving', () => {
  it.each(['cancel', ' Cancel. ', 'never mind', 'nevermind!', '算了', '取消。', '不用了'])(
    'should take %j for leaving',
    (text) => {
      expect(isLeaving(text)).toBe(true);
    },
  );

  it.each(['no', 'stop', '否', 'cancel the deploy', 'never mind the disk', '取消静默', ''])(
    'should take %j for an answer',
    (text) => {
      expect(isLeaving(text)).toBe(false);
    },
  );
});

describe('decisionOf', () => {
  it.each(['yes', ' Yes. ', 'ok', 'approve', 'go ahead', '是', '好的。', '确认', '同意！'])(
    'should read %j as yes',
    (text) => {
      expect(decisionOf(text)).toBe('yes');
      expect(isDecision(text)).toBe(true);
    },
  );
  it.each([
    'no',
    'No!',
    'reject',
    "don't",
    'never mind',
    '否',
    '不要',
    '取消。',
    '不用了',
    '算了',
    '算了吧。',
    '不必了',
  ])('should read %j as no', (text) => {
    expect(decisionOf(text)).toBe('no');
    expect(decisionOf(text, 'abc123')).toBe('no');
  });
  it.each([
    'yes but only for staging',
    'no idea, what would it silence?',
    'maybe',
    'yes and no',
    'no alerts today?',
    'what is firing?',
    '是不是太久了',
    '不用了那么久',
    '算了一下有多少',
    'never mind the info ones',
    '好像不对',
    'approve silence of prod',
    '',
  ])('should not decide anything by %j', (text) => {
    expect(decisionOf(text)).toBeUndefined();
    expect(isDecision(text)).toBe(false);
  });
  it('should take nothing but the exact phrase where one is wanted', () => {
    expect(decisionOf('yes', 'abc123')).toBeUndefined();
    expect(decisionOf('approve abc124', 'abc123')).toBeUndefined();
    expect(decisionOf('approve ABC123', 'abc123')).toBe('yes');
    expect(decisionOf('批准 abc123', 'abc123')).toBe('yes');
    expect(decisionOf('please approve abc123 now', 'abc123')).toBeUndefined();
    expect(isDecision('approve abc124')).toBe(true);
  });
});
