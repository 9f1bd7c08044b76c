import { describe, expect, it } from 'vitest';
import { agentWish } from './ask-agent.js';

const AGENTS = ['agent-b', 'agent-b2', 'n9e'];

describe('agentWish', () => {
  it.each([
    ['ask agent-b why checkout is slow', 'agent-b', 'why checkout is slow', undefined],
    ['Ask agent-b to list the deploys', 'agent-b', 'list the deploys', undefined],
    ['please ask @agent-b: what changed?', 'agent-b', 'what changed?', undefined],
    ['@n9e 当前有哪些告警', 'n9e', '当前有哪些告警', undefined],
    ['问 n9e 当前有哪些告警', 'n9e', '当前有哪些告警', undefined],
    ['请问一下n9e，当前有哪些告警', 'n9e', '当前有哪些告警', undefined],
    ['ask agent-b2/deploys since when', 'agent-b2', 'since when', 'deploys'],
    ['tell N9E: silence it', 'n9e', 'silence it', undefined],
  ])('should read %j', (text, agent, task, skill) => {
    expect(agentWish(text, AGENTS)).toEqual({
      agent,
      task,
      ...(skill === undefined ? {} : { skill }),
    });
  });

  it.each([
    'what is firing?',
    'ask somebody why',
    'ask agent-b',
    'ask agent-bx why',
    'agent-b is down',
    'silence agent-b for 1h',
    '问题是什么',
  ])('should leave %j to the assistant', (text) => {
    expect(agentWish(text, AGENTS)).toBeUndefined();
  });
});
