import { Logger } from '@nestjs/common';
import { describe, expect, it } from 'vitest';
import { FakeDesk } from '../../../test/support/fake-desk.js';
import {
  alertOf,
  contentOf,
  FakeSources,
  NOW,
  turnOf,
} from '../../../test/support/fake-sources.js';
import type { WriteRule, WritesConfig } from '../../config/config.types.js';
import type { Frame, Turn } from '../assistant-backend.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { BuiltinBackend } from './builtin-backend.js';

Logger.overrideLogger(false);

const ASK: WriteRule = { policy: 'ask-caller', within: { matchers: [] }, otherwise: 'deny' };
const ASKED: WritesConfig = { create_silence: ASK, expire_silence: ASK };
const MINUTE = 60_000;

/** Asks one question after another; the frames of the last one. */
async function asked(questions: readonly string[], writes = ASKED): Promise<readonly Frame[]> {
  const facts = new FakeSources({
    alerts: [
      alertOf({ alertname: 'DiskFull', severity: 'critical', host: 'db-1' }, { age: 1 }),
      alertOf({ alertname: 'HighLatency', severity: 'warning', host: 'web-1' }, { age: 2 }),
      alertOf({ alertname: 'QueueLag', severity: 'info', host: 'mq-1' }, { age: 3 }),
    ],
  });
  const backend = new BuiltinBackend(
    new TenantSources([facts.router, facts.metrics]),
    () => NOW,
    writes,
  );
  let history: Turn['history'] = [];
  let frames: Frame[] = [];
  for (const [index, text] of questions.entries()) {
    frames = [];
    const turn = turnOf(text, { turn: index + 1, history });
    for await (const frame of backend.run(turn, new AbortController().signal, new FakeDesk())) {
      frames.push(frame);
    }
    const memory = frames.find((frame) => frame.kind === 'memory')?.data;
    const past = { turn: index + 1, user: text, assistant: contentOf(frames), complete: true };
    history = [...history, { ...past, ...(memory === undefined ? {} : { memory }) }];
  }
  return frames;
}

function planOf(frames: readonly Frame[]): string {
  return JSON.stringify(frames.find((frame) => frame.kind === 'input_required') ?? {});
}

describe('an order about one of a list', () => {
  it.each([
    ['silence the second one for 30 minutes', 'HighLatency'],
    ['silence the second for 30 minutes', 'HighLatency'],
    ['please mute the second alert for 30 minutes', 'HighLatency'],
    ['silence the first one for 30 minutes', 'DiskFull'],
    ['silence the first for 30 minutes', 'DiskFull'],
    ['silence first for 30 minutes', 'DiskFull'],
    ['silence 2nd for 30 minutes', 'HighLatency'],
    ['silence the 3rd one for 30m', 'QueueLag'],
    ['silence #2 for 30 minutes', 'HighLatency'],
    ['silence number 2 for 30 minutes', 'HighLatency'],
    ['silence the last one for 30 minutes', 'QueueLag'],
    ['静默第二条 30 分钟', 'HighLatency'],
    ['静默第二条30分钟', 'HighLatency'],
    ['屏蔽第一条半小时', 'DiskFull'],
    ['把第三条静默 30 分钟', 'QueueLag'],
  ])('should be proposed for that one: %s', async (question, name) => {
    const plan = planOf(await asked(['what is firing?', question]));
    const named = ['DiskFull', 'HighLatency', 'QueueLag'].filter((one) => plan.includes(one));
    expect(named).toEqual([name]);
    expect(plan).toContain('10:00:00 UTC');
  });

  it.each([
    'silence HighLatency and the second one',
    'silence HighLatency and the second one for 30 minutes',
    'silence the first one and the second one for 30 minutes',
    'silence the newest critical alert for 30 minutes',
    'silence alertname="DiskFull" and HighLatency for 1h',
    '静默 HighLatency 和第二条 30 分钟',
    '静默第一条和第二条 30 分钟',
  ])('should be refused when it means more than one plan says: %s', async (question) => {
    const frames = await asked(['what is firing?', question]);
    expect(planOf(frames)).toBe('{}');
    expect(contentOf(frames)).toMatch(/Nothing was done|未执行任何操作/);
  });

  it.each([
    'silence the second one for 30 minutes unless bob objects',
    'silence the second one tomorrow for 30 minutes',
    'silence the second one for 30 minutes if it still fires',
    'silence the second one on db-1 for 30 minutes',
    'silence all but the second one for 30 minutes',
    "don't silence the second one for 30 minutes",
    '静默第二条 30 分钟，如果没人处理',
    '明天静默第二条 30 分钟',
    '除了第二条都静默 30 分钟',
    '不要静默第二条',
  ])('should be refused when a word of it is not understood: %s', async (question) => {
    const frames = await asked(['what is firing?', question]);
    expect(planOf(frames)).toBe('{}');
  });

  it('should never read "second" as a duration', async () => {
    const plan = planOf(await asked(['what is firing?', 'silence the second one']));
    expect(plan).toContain('10:30:00 UTC');
    expect(NOW + 60 * MINUTE).toBe(Date.parse('2026-11-30T10:30:00Z'));
  });

  it('should take a quote in a value as a part of it', async () => {
    const plan = planOf(await asked(['silence instance="a\\"} or vector(1) #" for 30 minutes']));
    expect(plan).toContain('or vector(1) #');
  });

  it.each([
    `silence DiskFull for 1h ${'x'.repeat(1000)}`,
    `静默 DiskFull 一小时 ${'x'.repeat(1000)}`,
  ])('should be refused when its end is cut off', async (question) => {
    const frames = await asked([question]);
    expect(planOf(frames)).toBe('{}');
    expect(contentOf(frames)).toMatch(/\*\*I did nothing\*\*|\*\*未执行\*\*/);
  });
});

describe('an order that nobody here carries out', () => {
  const ONLY_ENDS: WritesConfig = { expire_silence: ASK };

  it.each([
    ['restart checkout', ASKED, /only things I can change here are silences: I can create and end/],
    ['ack DiskFull', ASKED, /can create and end them/],
    ['silence DiskFull for 1h', ONLY_ENDS, /I can end them/],
    ['重启 checkout', ASKED, /只能创建和结束静默/],
    ['restart checkout', {}, /^I only read/],
  ])('should be told what can be done: %s', async (question, writes, expected) => {
    expect(contentOf(await asked([question], writes))).toMatch(expected);
  });
});

describe('help', () => {
  it('should name what this team has', async () => {
    const text = contentOf(await asked(['help']));
    expect(text).toMatch(/"triage"/);
    expect(text).toMatch(/plot node_load1/);
    expect(text).toMatch(/silence the second one for 30 minutes/);
    expect(text).toMatch(/expire the silence on/);
    expect(text).not.toMatch(/I only read|other agents|runbook/);
  });

  it('should name no writes where there are none', async () => {
    const text = contentOf(await asked(['帮助'], {}));
    expect(text).toMatch(/分诊/);
    expect(text).toMatch(/我只读取数据/);
    expect(text).not.toMatch(/创建静默/);
  });
});
