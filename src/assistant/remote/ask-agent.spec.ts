import { describe, expect, it } from 'vitest';
import { agentWish, unknownAgent } from './ask-agent.js';

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

describe('unknownAgent', () => {
  it.each([
    ['ask agent-c what is firing', 'agent-c'],
    ['ask agentb what is firing', 'agentb'],
    ['please ask @somebody why', 'somebody'],
    ['tell somebody: restart it', 'somebody'],
    ['ask somebody/deploys since when', 'somebody'],
    ['@agent-c: what changed?', 'agent-c'],
    ['问 agent-c 当前有哪些告警', 'agent-c'],
    ['请问一下agent-c，当前有哪些告警', 'agent-c'],
    ['ask agent-bx why', 'agent-bx'],
    ['ask n8e why', 'n8e'],
  ])('should find in %j the name %j', (text, name) => {
    expect(unknownAgent(text, AGENTS)).toBe(name);
  });

  it.each([
    'what is firing?',
    'ask somebody why',
    'tell me about web-1',
    'ask agent-b',
    'ask agent-b why',
    'agent-c is down',
    '问题是什么',
    '请问 web-1 怎么了',
  ])('should find none in %j', (text) => {
    expect(unknownAgent(text, AGENTS)).toBeUndefined();
  });

  it('should leave everything to the assistant of a team without agents', () => {
    expect(unknownAgent('ask agent-c what is firing', [])).toBeUndefined();
  });
});
