import { describe, expect, it } from 'vitest';
import type { WriteRule } from '../../config/config.types.js';
import { isBroad, judge } from './policy.js';
import type { PlanFacts, SilenceMatcher } from './write-plan.js';

const HOUR = 3_600_000;

function rule(over: Partial<WriteRule> = {}): WriteRule {
  return { policy: 'ask-caller', within: { matchers: [] }, otherwise: 'deny', ...over };
}

function matcher(text: string): SilenceMatcher {
  const [, name = '', op = '=', value = ''] = /^(\w+)(=~|!~|!=|=)(.*)$/.exec(text) ?? [];
  return { name, op: op as SilenceMatcher['op'], value };
}

function facts(matchers: readonly string[], over: Partial<PlanFacts> = {}): PlanFacts {
  return { matchers: matchers.map(matcher), lasts: HOUR, dangers: [], ...over };
}

describe('judge', () => {
  it('should deny what no rule names', () => {
    expect(judge(undefined, facts(['a=b']))).toEqual({ how: 'deny', why: 'off' });
    expect(judge(rule({ policy: 'deny' }), facts(['a=b']))).toEqual({ how: 'deny', why: 'off' });
  });

  it('should want the exact phrase for what is dangerous', () => {
    expect(judge(rule(), facts(['a=b']))).toEqual({ how: 'ask-caller', exact: false });
    const dangerous = facts(['a=~.+'], { dangers: ['broad'] });
    expect(judge(rule(), dangerous)).toEqual({ how: 'ask-caller', exact: true });
  });

  const auto = rule({
    policy: 'auto',
    within: {
      matchers: [matcher('team=pay'), matcher('env=~dev|test')],
      longestSeconds: 7200,
    },
  });

  it('should let through by itself only what lies within the scope', () => {
    expect(judge(auto, facts(['team=pay', 'env=dev', 'x=y']))).toEqual({ how: 'auto' });
    expect(judge(auto, facts(['team=pay', 'env=~dev|test']))).toEqual({ how: 'auto' });
  });

  it.each([
    ['another team', ['team=ops', 'env=dev']],
    ['no team', ['env=dev']],
    ['a wider pattern on the same label', ['team=pay', 'env=~.*']],
    ['a value outside of the pattern', ['team=pay', 'env=prod']],
    ['a value that only begins like one', ['team=pay', 'env=developer']],
    ['the negation', ['team!=pay', 'env=dev']],
  ])('should not let through %s', (_name, matchers) => {
    expect(judge(auto, facts(matchers))).toEqual({ how: 'deny', why: 'scope' });
  });

  it('should not let through what lasts longer, or is dangerous', () => {
    const own = ['team=pay', 'env=dev'];
    expect(judge(auto, facts(own, { lasts: 2 * HOUR + 1 }))).toEqual({
      ...{ how: 'deny', why: 'scope', longest: 2 * HOUR },
    });
    const dangerous = facts(own, { dangers: ['long'] });
    expect(judge(auto, dangerous)).toEqual({ how: 'deny', why: 'danger' });
    expect(judge({ ...auto, otherwise: 'ask-caller' }, dangerous)).toEqual({
      how: 'ask-caller',
      exact: true,
    });
  });
});

describe('isBroad', () => {
  it.each([
    ['a=~.*'],
    ['a=~.+'],
    ['a!=b'],
    ['a!~b|c'],
    ['a='],
    ['a=~[^x].*|x'],
    ['a=~(.|..)*'],
    ['a=~[A-Z].*'],
    ['a=~\\w{2,}'],
    ['a=~[A-Z][a-z]+'],
    ['a=~[0-9]{2,}'],
  ])('should call %j broad', (text) => {
    expect(isBroad([matcher(text)])).toBe(true);
  });
  it.each([['a=b'], ['a=~b|c'], ['a=~db-.*'], ['a=~High[A-Z].*'], ['a=~10[.].*']])(
    'should call %j specific',
    (text) => {
      expect(isBroad([matcher(text)])).toBe(false);
      expect(isBroad([matcher('x=~.*'), matcher(text)])).toBe(false);
    },
  );
});
