import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it } from 'vitest';
import { FakeDesk } from '../../../test/support/fake-desk.js';
import {
  alertOf,
  contentOf,
  FakeSources,
  NOW,
  turnOf,
} from '../../../test/support/fake-sources.js';
import type { WriteRule, WritesConfig } from '../../config/config.types.js';
import type { JsonObject } from '../../domain/a2a.js';
import type { Frame, Turn } from '../assistant-backend.js';
import { BuiltinBackend } from '../builtin/builtin-backend.js';
import { Redactor } from '../llm/redactor.js';
import { SourceError } from '../sources/source-error.js';
import type { Alert, NewSilence, Silence, Source } from '../sources/source.types.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { TenantRemotes } from '../remote/tenant-remotes.js';
import { ApprovalGate } from './approval-gate.js';
import type { Looked } from './write-desk.js';
import { documentOf } from './write-plan.js';

Logger.overrideLogger(false);

const HOUR = 3_600_000;
const ASK: WriteRule = { policy: 'ask-caller', within: { matchers: [] }, otherwise: 'deny' };
const ASKED: WritesConfig = { create_silence: ASK, expire_silence: ASK };

type Question = Extract<Frame, { kind: 'input_required' }>;

/** A gated builtin backend over a router that takes silences. */
class Bench {
  readonly created: NewSilence[] = [];
  readonly expired: string[] = [];
  /** What the router was asked for. */
  readonly reads: string[] = [];
  readonly silences: Silence[] = [];
  readonly desk = new FakeDesk();
  fault: SourceError | undefined;
  /** Nothing is read from the router. */
  away = false;
  now = NOW;
  private router: Source;
  private readonly facts: FakeSources;

  constructor(
    private readonly writes: WritesConfig = ASKED,
    more: readonly Alert[] = [],
  ) {
    const facts = new FakeSources({
      alerts: [
        ...more,
        alertOf({ alertname: 'DiskFull', severity: 'critical', host: 'db-1' }),
        alertOf({ alertname: 'DiskFull', severity: 'critical', host: 'db-2' }),
        alertOf({ alertname: 'HighLatency', severity: 'warning', host: 'web-1' }),
      ],
    });
    this.facts = facts;
    this.router = {
      ...facts.router,
      alerts: {
        view: 'router',
        list: () => {
          this.reads.push('alerts');
          return this.away ? this.gone() : Promise.resolve(facts.alerts);
        },
      },
      silences: {
        list: () => {
          this.reads.push('silences');
          return this.away ? this.gone() : Promise.resolve(this.silences);
        },
        groups: () => Promise.resolve([]),
      },
      silenceWrites: {
        create: (silence) => {
          if (this.fault !== undefined) return Promise.reject(this.fault);
          this.created.push(silence);
          return Promise.resolve('new-id');
        },
        expire: (id) => {
          if (this.fault !== undefined) return Promise.reject(this.fault);
          this.expired.push(id);
          return Promise.resolve();
        },
      },
    };
  }

  /** Nothing else fires than these, and so many others. */
  only(isOne: (alert: Alert) => boolean, others: number): void {
    const { alerts } = this.facts;
    const rest = alerts.filter((one) => !isOne(one)).slice(0, others);
    this.facts.alerts = [...alerts.filter(isOne), ...rest];
  }

  /** As a change of the config does. */
  rename(name: string): void {
    this.router = { ...this.router, name };
  }

  private gone(): Promise<never> {
    const fault = { kind: 'unreachable', code: 'ECONNREFUSED' } as const;
    return Promise.reject(new SourceError(this.router, fault));
  }

  gate(writes = this.writes): ApprovalGate {
    const sources = new TenantSources([this.router]);
    const now = (): number => this.now;
    return new ApprovalGate(new BuiltinBackend(sources, now, writes), {
      remotes: new TenantRemotes({ id: 'acme', remotes: [], mcpServers: [] }, new Redactor([])),
      sources,
      writes,
      now,
    });
  }

  /** What another instance sees of the write that was begun last. */
  async look(more: Partial<Turn> = {}): Promise<Looked | undefined> {
    const { plan, text } = this.desk.done.at(-1) ?? {};
    if (plan === undefined || text === undefined) throw new Error('no write was begun');
    const { signal } = new AbortController();
    const turn = turnOf('yes', { attempt: 2, ...more });
    const [looked, ...others] = await this.gate().lookBack(
      turn,
      [{ ...plan, summary: text }],
      signal,
      this.desk,
    );
    expect(others).toEqual([]);
    return looked;
  }

  async run(text: string, more: Partial<Turn> = {}, writes = this.writes): Promise<Frame[]> {
    const gate = this.gate(writes);
    const frames: Frame[] = [];
    const { signal } = new AbortController();
    for await (const frame of gate.run(turnOf(text, more), signal, this.desk)) {
      frames.push(frame);
      // As a run does.
      if (frame.kind === 'input_required') break;
    }
    return frames;
  }

  async propose(text: string): Promise<Question> {
    const frames = await this.run(text);
    const found = frames.find((frame) => frame.kind === 'input_required');
    if (found === undefined) throw new Error(`no question, but: ${contentOf(frames)}`);
    return found;
  }

  answer(question: Question, text: string, more: Partial<Turn> = {}): Promise<Frame[]> {
    const { question: asked, expects, plan } = question;
    const answering = { question: asked, expects, ...(plan === undefined ? {} : { plan }) };
    return this.run(text, { answering, ...more });
  }

  silence(over: Partial<Silence> = {}): Silence {
    const made: Silence = {
      source: 'fake-am',
      id: '11111111-2222-3333-4444-555555555555',
      state: 'active',
      matchers: [{ name: 'alertname', op: '=', value: 'DiskFull' }],
      createdBy: 'bob',
      comment: 'moving the disk',
      startsAt: NOW - HOUR,
      endsAt: NOW + HOUR,
      ...over,
    };
    this.silences.push(made);
    return made;
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

const BY_NAME = [{ name: 'alertname', op: '=', value: 'DiskFull' }];

describe('a silence with the approval of its user', () => {
  it.each([
    ['silence DiskFull for an hour', BY_NAME, HOUR],
    ['please mute DiskFull for 2h', BY_NAME, 2 * HOUR],
    ['静默 DiskFull 一小时', BY_NAME, HOUR],
    ['把 DiskFull 静默两小时', BY_NAME, 2 * HOUR],
    ['屏蔽 DiskFull', BY_NAME, HOUR],
    ['silence DiskFull', BY_NAME, HOUR],
    [
      'silence DiskFull on db-1 for 30 minutes',
      [...BY_NAME, { name: 'host', op: '=', value: 'db-1' }],
      HOUR / 2,
    ],
    [
      'silence alertname="NotYet" job=~"a|b" for 3h',
      [
        { name: 'alertname', op: '=', value: 'NotYet' },
        { name: 'job', op: '=~', value: 'a|b' },
      ],
      3 * HOUR,
    ],
    ['silence DiskFull until 12:30', BY_NAME, 3 * HOUR],
    ['mute DiskFull until tomorrow 9am', BY_NAME, 23.5 * HOUR],
    ['把 DiskFull 屏蔽到明早九点', BY_NAME, 23.5 * HOUR],
    ["don't page me about DiskFull for the next two hours", BY_NAME, 2 * HOUR],
    ['stop alerting me about DiskFull for 2h', BY_NAME, 2 * HOUR],
    ['DiskFull 两小时内别再打扰我', BY_NAME, 2 * HOUR],
    ['DiskFull 的告警两小时内不要再通知我', BY_NAME, 2 * HOUR],
  ])('should be proposed for %j', async (text, matchers, lasts) => {
    const { question, expects, plan } = await bench.propose(text);
    expect(expects).toBe('approval');
    const { args, code } = plan as unknown as {
      args: { matchers: unknown; ends_at: string };
      code?: string;
    };
    expect(args.matchers).toEqual(matchers);
    expect(Date.parse(args.ends_at)).toBe(NOW + lasts);
    expect(code).toBeUndefined();
    // Exactly what, for whom, until when.
    expect(question).toContain('ann');
    expect(question).toContain(new Date(NOW + lasts).toISOString().slice(11, 16));
    expect(bench.created).toEqual([]);
  });

  it('should be made by a yes, once, as it was shown', async () => {
    bench.now = Date.now();
    const asked = await bench.propose('silence DiskFull for an hour');
    expect(asked.question).toContain('it fits 2 alerts');
    const frames = await bench.answer(asked, 'yes');
    expect(contentOf(frames)).toContain('`new-id`');
    expect(bench.created).toHaveLength(1);
    expect(bench.created[0]).toMatchObject({ matchers: BY_NAME, createdBy: 'ann' });
    expect(bench.created[0]?.comment).toContain('task-1');
    expect(bench.desk.done[0]?.text).toContain(
      'create a silence in fake-am for alertname="DiskFull"',
    );
  });

  it('should be in the audit with its proposal, decision and effect', async () => {
    bench.now = Date.now();
    const asked = await bench.propose('silence DiskFull for an hour');
    await bench.answer(asked, 'yes');
    const about = /create a silence in fake-am for alertname="DiskFull"/;
    expect(bench.desk.notes).toEqual([
      { step: 'propose', outcome: 'ok', detail: expect.stringMatching(about) as string },
      {
        step: 'decide',
        outcome: 'ok',
        detail: expect.stringContaining('approved by its user') as string,
      },
      { step: 'effect', outcome: 'ok', detail: expect.stringMatching(about) as string },
    ]);
  });

  it('should be in the audit as refused, lapsed, unknown and as not allowed any more', async () => {
    const outcomes = (): string[] =>
      bench.desk.notes.splice(0).map(({ step, outcome }) => `${step} ${outcome}`);
    bench.now = Date.now();
    const asked = await bench.propose('silence DiskFull for an hour');
    await bench.answer(asked, 'no');
    expect(outcomes()).toEqual(['propose ok', 'decide REFUSED']);
    bench.fault = new SourceError(
      { name: 'fake-am', type: 'alertmanager' },
      { kind: 'timeout', seconds: 10 },
    );
    await bench.answer(asked, 'yes');
    expect(outcomes()).toEqual(['decide ok', 'effect UNKNOWN']);
    bench.now += 30 * 60_000;
    await bench.answer(asked, 'yes');
    expect(outcomes()).toEqual(['decide EXPIRED']);
  });

  it.each<[string, WriteRule]>([
    ['an operator decides', { ...ASK, policy: 'ask-operator' }],
    ['it is denied', { ...ASK, policy: 'deny' }],
    [
      'its scope is left, and the rest is an operator’s',
      { ...ASK, within: { matchers: [], longestSeconds: 60 }, otherwise: 'ask-operator' },
    ],
  ])('should not be made by a yes once %s', async (_name, rule) => {
    bench.now = Date.now();
    const { question, expects, plan } = await bench.propose('silence DiskFull for an hour');
    bench.desk.notes.length = 0;
    const answering = { question, expects, ...(plan === undefined ? {} : { plan }) };
    const said = contentOf(await bench.run('yes', { answering }, { create_silence: rule }));
    expect(said).toMatch(/lapsed|may not/);
    expect(bench.created).toEqual([]);
    expect(bench.desk.notes.at(-1)).toMatchObject({ step: 'effect', outcome: 'PERMISSION_DENIED' });
  });

  it.each(['no', '否', 'cancel'])('should be dropped by %j, which says so', async (text) => {
    const asked = await bench.propose('silence DiskFull for an hour');
    expect(contentOf(await bench.answer(asked, text))).toMatch(/Not approved/);
    expect(bench.created).toEqual([]);
  });

  it.each(['yes, but only for staging', 'which alerts are firing?', 'maybe'])(
    'should be asked for again after %j',
    async (text) => {
      const asked = await bench.propose('silence DiskFull for an hour');
      const [again] = (await bench.answer(asked, text)).filter((f) => f.kind === 'input_required');
      expect(again?.plan).toEqual(asked.plan);
      expect(again?.question).toContain('no clear answer');
      expect(again?.question).toContain('the proposal still stands');
      expect(bench.created).toEqual([]);
    },
  );

  it.each([
    ['actually make it 10 minutes', 'is dropped; nothing was done'],
    ['改成十分钟', '已作废'],
  ])('should be said to be dropped by %j in its context', async (text, said) => {
    expect(contentOf(await bench.run(text, { drops: true }))).toContain(said);
    expect(contentOf(await bench.run(text))).not.toContain(said);
  });

  it('should lapse after 30 minutes', async () => {
    const asked = await bench.propose('silence DiskFull for an hour');
    bench.now += 30 * 60_000;
    expect(contentOf(await bench.answer(asked, 'yes'))).toMatch(/lapsed/);
    expect(bench.created).toEqual([]);
  });

  it.each<[string, (plan: JsonObject) => JsonObject, Partial<Turn>]>([
    [
      'with other arguments',
      (plan) => ({
        ...plan,
        args: { ...(plan['args'] as JsonObject), ends_at: '2026-12-30T00:00:00.000Z' },
      }),
      {},
    ],
    ['that lives longer', (plan) => ({ ...plan, expires_at: '2027-01-01T00:00:00.000Z' }), {}],
    ['of another user', (plan) => plan, { user: 'mallory' }],
    ['of another tenant', (plan) => plan, { tenant: 'globex' }],
    ['of another task', (plan) => plan, { taskId: 'task-2' }],
  ])('should refuse a plan %s', async (_name, change, turn) => {
    const asked = await bench.propose('silence DiskFull for an hour');
    const frames = await bench.answer({ ...asked, plan: change(asked.plan ?? {}) }, 'yes', turn);
    expect(contentOf(frames)).toMatch(/not the plan/);
    expect(bench.created).toEqual([]);
  });

  it('should refuse a plan of another version, whatever is answered', async () => {
    const { plan = {}, ...asked } = await bench.propose('silence DiskFull for an hour');
    const args = { ...(plan['args'] as JsonObject), only_after: 'noon' };
    const owner = { tenant: 'acme', user: 'ann', taskId: 'task-1' };
    const made = { tool: 'create_silence', args, summary: 's' };
    const later = documentOf(made, owner, bench.now + HOUR, false) as unknown as JsonObject;
    for (const other of [later, { ...plan, kind: 'nightjar.approval/2' }, { ...plan, new: 1 }]) {
      for (const text of ['yes', 'perhaps']) {
        expect(contentOf(await bench.answer({ ...asked, plan: other }, text))).toMatch(
          /another version.*nothing was done.*Ask again/,
        );
      }
    }
    expect(bench.created).toEqual([]);
  });

  it('should not be made once the config forbids it', async () => {
    const asked = await bench.propose('silence DiskFull for an hour');
    const { question, expects, plan } = asked;
    const answering = { question, expects, ...(plan === undefined ? {} : { plan }) };
    const off = { create_silence: { ...ASK, policy: 'deny' as const } };
    expect(contentOf(await bench.run('yes', { answering }, off))).toMatch(/may not/);
    expect(bench.created).toEqual([]);
  });

  it.each([
    'silence everything for an hour',
    'silence all alerts for 1h',
    'silence DiskFull for 2 days',
  ])('should want the exact phrase for %j', async (text) => {
    bench.now = Date.now();
    const asked = await bench.propose(text);
    const code = asked.plan?.['code'] as string;
    expect(asked.question).toContain(`approve ${code}`);
    const [again] = (await bench.answer(asked, 'yes')).filter((f) => f.kind === 'input_required');
    expect(again).toBeDefined();
    expect(bench.created).toEqual([]);
    await bench.answer(asked, `approve ${code}`);
    expect(bench.created).toHaveLength(1);
  });

  it.each([
    ['silence severity=~"critical|warning|info" for 5m', true],
    ['silence alertname=~"[A-Z].*" for 5m', true],
    ['silence alertname!="Watchdog" severity=~"critical|warning" for 5m', true],
    ['silence severity="critical" for 5m', false],
    ['silence alertname=~"Disk.*" for 5m', false],
  ])('should know whether %j leaves anything that fires: %j', async (text, isAll) => {
    const many = ['a', 'b', 'c'].map((name) =>
      alertOf({ alertname: `Noise${name}`, severity: 'warning', host: name }),
    );
    bench = new Bench(ASKED, many);
    expect((await bench.propose(text)).plan?.['code'] !== undefined).toBe(isAll);
    // By itself it is done for nobody.
    const auto: WriteRule = { ...ASK, policy: 'auto' };
    bench = new Bench({ create_silence: auto, expire_silence: auto }, many);
    bench.now = Date.now();
    await bench.run(text);
    expect(bench.created).toHaveLength(isAll ? 0 : 1);
  });

  it.each([
    [6, 1, true],
    [6, 6, true],
    [6, 7, false],
    [5, 0, false],
    [49, 60, false],
    [50, 5000, true],
  ])('should want it for %i of them beside %i others: %j', async (hidden, others, isGreat) => {
    const made = (count: number, alertname: string): Alert[] =>
      Array.from({ length: count }, (_, at) => alertOf({ alertname, pod: String(at) }));
    // Three fire already that it does not fit.
    const more = [...made(hidden, 'PodCrash'), ...made(Math.max(0, others - 3), 'Other')];
    bench = new Bench(ASKED, more);
    if (others < 3) bench.only(({ labels }) => labels['alertname'] === 'PodCrash', others);
    const asked = await bench.propose('silence alertname="PodCrash" for 5m');
    expect(asked.plan?.['code'] !== undefined).toBe(isGreat);
    const auto: WriteRule = { ...ASK, policy: 'auto' };
    bench.now = Date.now();
    await bench.run('silence alertname="PodCrash" for 5m', {}, { create_silence: auto });
    expect(bench.created).toHaveLength(isGreat ? 0 : 1);
  });

  it.each([
    '\ufe0f',
    '\ufe01',
    '\u{e0100}',
    '\u3164',
    '\u034f',
    '\u2800',
    '\u{e0041}',
    '\u{e007f}',
  ])('should not be proposed with a value that holds %j', async (hidden) => {
    const frames = await bench.run(`silence alertname="DiskFull${hidden}" for 1h`);
    expect(frames.some((frame) => frame.kind === 'input_required')).toBe(false);
    expect(contentOf(frames)).toMatch(/cannot be seen|Nothing was done/);
  });

  it('should count one alert as one', async () => {
    const { question } = await bench.propose('silence HighLatency for 5m');
    expect(question).toContain('it fits 1 alert that fires now');
  });

  it('should take a mere yes for all of the few alerts that fire', async () => {
    const asked = await bench.propose('silence severity=~"critical|warning" for 5m');
    expect(asked.plan?.['code']).toBeUndefined();
    expect(asked.question).toContain('`severity=~"critical|warning"`');
  });

  it.each([
    ['silence NoSuchThing for 1h', /NoSuchThing/],
    ['silence DiskFull for a while', /how long|`?while/],
    // Without the word it would silence more than was asked for.
    ['silence unacknowledged DiskFull alerts for 1h', /unacknowledged/],
    ['silence DiskFull alerts that matter for 1h', /matter/],
    ['silence critical alerts of more than 5 alerts for 1h', /more than/],
    ['silence it', /Say which/],
    ['restart DiskFull', /only things I can change here are silences/],
    ['silence DiskFull for 0 minutes', /how long/],
    ['silence DiskFull for 0h', /how long/],
    ['silence DiskFull for -5 minutes', /how long/],
    ['静默 DiskFull 零分钟', /时长/],
    ['静默 DiskFull -5 分钟', /时长/],
    ['should I silence DiskFull?', /for you to judge/],
    ['Should we mute DiskFull for 2h', /for you to judge/],
    ['应该静默 DiskFull 吗', /由您判断/],
  ])('should make no proposal for %j', async (text, said) => {
    const frames = await bench.run(text);
    expect(frames.some((frame) => frame.kind === 'input_required')).toBe(false);
    expect(contentOf(frames)).toMatch(said);
  });

  it('should name the longest that the config allows', async () => {
    const short: WriteRule = { ...ASK, within: { matchers: [], longestSeconds: 5400 } };
    const writes = { create_silence: short, expire_silence: short };
    expect(contentOf(await bench.run('silence DiskFull for 3h', {}, writes))).toContain(
      'at most 1 h 30 min.',
    );
    expect(contentOf(await bench.run('静默 DiskFull 三小时', {}, writes))).toContain(
      '最多允许 1 小时 30 分钟',
    );
  });

  it('should say so when it does not know whether it was made', async () => {
    bench.now = Date.now();
    const asked = await bench.propose('silence DiskFull for an hour');
    bench.fault = new SourceError(
      { name: 'fake-am', type: 'alertmanager' },
      { kind: 'timeout', seconds: 10 },
    );
    const frames = await bench.answer(asked, 'yes');
    const failed = frames.find((frame) => frame.kind === 'fail');
    expect(failed?.reason).toMatch(/not known whether/);
    expect(contentOf(frames)).toBe('');
  });

  it('should find out that it was made although no answer came', async () => {
    bench.now = Date.now();
    const asked = await bench.propose('silence DiskFull for an hour');
    const args = asked.plan?.['args'] as { comment: string; created_by: string; ends_at: string };
    bench.silence({
      id: 'found',
      createdBy: args.created_by,
      comment: args.comment,
      endsAt: Date.parse(args.ends_at),
    });
    bench.fault = new SourceError(
      { name: 'fake-am', type: 'alertmanager' },
      { kind: 'timeout', seconds: 10 },
    );
    expect(contentOf(await bench.answer(asked, 'yes'))).toContain('`found`');
  });

  it('should tell what an earlier attempt did, and do nothing', async () => {
    const asked = await bench.propose('silence DiskFull for an hour');
    bench.desk.before = 'the silence x is there';
    const frames = await bench.answer(asked, 'yes', { attempt: 2 });
    expect(contentOf(frames)).toContain('the silence x is there');
    expect(bench.created).toEqual([]);
  });

  it('should only read where the tenant allows nothing', async () => {
    bench = new Bench({});
    expect(contentOf(await bench.run('silence DiskFull for an hour'))).toMatch(/only read/);
  });
});

describe('the end of a silence', () => {
  it('should be proposed by id and by what it is about, and carried out by a yes', async () => {
    const { id } = bench.silence();
    bench.silence({
      id: '99999999-2222-3333-4444-555555555555',
      matchers: [{ name: 'alertname', op: '=', value: 'Other' }],
      comment: '',
    });
    for (const text of [
      `expire silence ${id}`,
      'remove the silence on DiskFull',
      `取消静默 ${id}`,
    ]) {
      const asked = await bench.propose(text);
      expect(asked.question).toContain(id);
      await bench.answer(asked, 'yes');
    }
    expect(bench.expired).toEqual([id, id, id]);
  });

  it('should not touch one that was changed since it was shown', async () => {
    const made = bench.silence();
    const asked = await bench.propose(`expire silence ${made.id}`);
    bench.silences[0] = { ...made, matchers: [{ name: 'alertname', op: '=~', value: '.+' }] };
    expect(contentOf(await bench.answer(asked, 'yes'))).toMatch(/changed/);
    expect(bench.expired).toEqual([]);
  });

  it.each([
    'expire silence on DiskFull',
    'unsilence DiskFull',
    'expire all silences',
    'expire silence 11111111-2222-3333-4444-555555555555',
    '取消 DiskFull 的静默',
  ])('should not be denied while the Alertmanager is away: %s', async (text) => {
    bench.away = true;
    const answer = contentOf(await bench.run(text));
    expect(answer).toMatch(/I cannot tell|无法确定/);
    expect(answer).toContain('fake-am');
    expect(answer).not.toMatch(/no silence|There is no|没有.*静默/);
  });

  it('should name the Alertmanager that did not answer in a proposal', async () => {
    const again = await bench.propose('silence alertname="DiskFull" for 1h');
    expect(again.question).not.toContain('⚠');
    bench.away = true;
    const { question } = await bench.propose('silence alertname="DiskFull" for 1h');
    expect(question).toMatch(/⚠ Alertmanager at fake-am/);
  });

  it('should be proposed by what was read for its plan, each router asked once', async () => {
    await bench.propose('silence alertname="DiskFull" for 1h');
    // For the words of the question, and once more for the plan and all that is shown of it.
    expect(bench.reads).toEqual(['silences', 'alerts', 'alerts']);
  });

  it.each([
    ['expire the silence by eve', /There is no active silence for `eve`/],
    ['expire the silence on Nothing', /There is no active silence for `Nothing`/],
    ['expire the silence of db-1', /There is no active silence for `db-1`/],
    ['取消 eve 的静默', /没有与 `eve` 匹配的/],
    ['expire the silence on DiskFull tomorrow', /cannot put that off \(`tomorrow`\)/],
    ['expire the silence on DiskFull in 10 minutes', /`(?:in|10|minutes)/],
    ['明天取消 DiskFull 的静默', /`明天`/],
    ['expire all silences except DiskFull', /`except`.*`DiskFull`/],
    ['expire the silence on DiskFull unless bob needs it', /unless/],
    ['expire the silence on DiskFull if the disk is fine', /if/],
    ['取消除 DiskFull 以外的静默', /`除/],
    ['如果没事就取消 DiskFull 的静默', /`/],
    ['expire silence 11111111-2222-3333-4444-555555555555 tomorrow', /`tomorrow`/],
    ['expire silence 11111111-2222-3333-4444-555555555555 unless bob needs it', /unless/],
    ["don't expire the silence on DiskFull", /`|whether/],
    ['expire the silence on DiskFull and the one by eve', /`|no active silence/],
  ])('should never be that of somebody else, or sooner than said: %s', async (text, said) => {
    bench.silence({ createdBy: 'pete', comment: 'disk db-10 is moved' });
    const frames = await bench.run(text);
    expect(frames.some((frame) => frame.kind === 'input_required')).toBe(false);
    expect(contentOf(frames)).toMatch(said);
  });

  it.each([
    'expire the silence',
    'please end the silence now, thanks',
    'expire the silence by pete',
    'expire the silence on DiskFull by pete',
    'end the silence on "DiskFull"',
    '取消 pete 的静默',
    '请帮我取消 DiskFull 的静默，谢谢',
  ])('should be proposed where every word fits it: %s', async (text) => {
    const { id } = bench.silence({ createdBy: 'pete' });
    const { question } = await bench.propose(text);
    expect(question).toContain(id);
  });

  it('should name the candidates when several fit', async () => {
    bench.silence();
    bench.silence({ id: '99999999-2222-3333-4444-555555555555' });
    const answer = contentOf(await bench.run('expire the silence on DiskFull'));
    expect(answer).toContain('2 silences fit');
    expect(answer).toContain('99999999');
  });
});

describe('a look at what an instance had begun before it was gone', () => {
  /** As it is at the router, if it came to be. */
  async function begun(): Promise<Silence> {
    bench.now = Date.now();
    await bench.answer(await bench.propose('silence DiskFull for an hour'), 'yes');
    const [made] = bench.created;
    if (made === undefined) throw new Error('nothing was made');
    return { ...made, id: 'am-7', source: 'fake-am', state: 'active' };
  }

  it('should find the silence that bears the mark of its task', async () => {
    const made = await begun();
    const { id: _other, ...same } = made;
    bench.silence({ ...same, id: 'by-bob', createdBy: 'bob' });
    bench.silence({ ...same, id: 'of-another', comment: same.comment.replace('task-1', 'task-2') });
    bench.silence(made);
    expect(await bench.look()).toEqual({
      outcome: 'done',
      text: expect.stringMatching(
        /^Done: the silence `am-7` was made in `fake-am`, as was seen there at .* UTC\.$/,
      ) as unknown,
    });
    expect(bench.desk.notes.at(-1)).toMatchObject({
      ...{ step: 'effect', outcome: 'ok' },
      detail: expect.stringContaining(
        'create_silence looked for: done: create a silence',
      ) as unknown,
    });
    expect((await bench.look({ lang: 'zh_CN' }))?.text).toContain('静默 `am-7` 已创建于');
    expect(bench.created).toHaveLength(1);
  });

  it('should find one that somebody has ended since, and say so', async () => {
    bench.silence({ ...(await begun()), state: 'expired', endsAt: NOW });
    const looked = await bench.look();
    expect(looked?.outcome).toBe('done');
    expect(looked?.text).toContain('It has ended since.');
  });

  it('should claim nothing of one that is not there, but when it looked', async () => {
    await begun();
    const looked = await bench.look();
    expect(looked?.outcome).toBe('unknown');
    expect(looked?.text).toMatch(/No such silence was in `fake-am` at .* UTC; .* is not known/);
    expect(looked?.text).toContain('`list silences`');
  });

  it('should tell nothing when the router cannot be asked, or is not configured any more', async () => {
    await begun();
    bench.away = true;
    expect(await bench.look()).toEqual({ outcome: 'unknown' });
    bench.away = false;
    bench.rename('another-am');
    expect(await bench.look()).toEqual({ outcome: 'unknown' });
  });

  it('should see whether a silence has ended, without a word on who ended it', async () => {
    const made = bench.silence();
    await bench.answer(await bench.propose(`expire silence ${made.id}`), 'yes');
    const still = await bench.look();
    expect(still?.outcome).toBe('unknown');
    expect(still?.text).toContain(`\`${made.id}\` was still in \`fake-am\``);
    bench.silences[0] = { ...made, state: 'expired' };
    expect(await bench.look()).toEqual({
      outcome: 'done',
      text: expect.stringContaining(
        `The silence \`${made.id}\` in \`fake-am\` has ended`,
      ) as unknown,
    });
    expect(bench.expired).toEqual([made.id]);
  });

  it('should look for nothing that it has no tool for', async () => {
    const { signal } = new AbortController();
    const plan = { tool: 'far__press', args: {}, summary: 'press' };
    expect(await bench.gate().lookBack(turnOf('yes'), [plan], signal)).toEqual([
      { outcome: 'unknown' },
    ]);
  });
});

describe('other policies', () => {
  const within = {
    matchers: [{ name: 'host', op: '=' as const, value: 'db-1' }],
    longestSeconds: 7200,
  };

  it('should let through by itself what lies within its scope, and nothing else', async () => {
    bench = new Bench({ create_silence: { policy: 'auto', within, otherwise: 'deny' } });
    bench.now = Date.now();
    const frames = await bench.run('silence DiskFull on db-1 for 1h');
    expect(contentOf(frames)).toContain('`new-id`');
    expect(contentOf(await bench.run('silence DiskFull for 1h'))).toMatch(/beyond/);
    expect(contentOf(await bench.run('silence DiskFull on db-1 for 3h'))).toMatch(/beyond/);
    expect(bench.created).toHaveLength(1);
  });

  it('should never be let through wider, or sooner, than it was said', async () => {
    const auto: WriteRule = {
      policy: 'auto',
      within: { matchers: [{ name: 'severity', op: '=', value: 'critical' }] },
      otherwise: 'deny',
    };
    bench = new Bench({ create_silence: auto });
    bench.now = Date.now();
    for (const more of ['tomorrow', 'only if it is a deploy', 'unless host="db-1"', '，明天']) {
      const frames = await bench.run(`silence severity="critical" for 10m ${more}`);
      expect(contentOf(frames)).toMatch(/Nothing was done|未执行任何操作/);
    }
    expect(bench.created).toEqual([]);
    await bench.run('silence severity="critical" except host="db-1" for 10m');
    expect(bench.created.map(({ matchers }) => matchers)).toEqual([
      [
        { name: 'severity', op: '=', value: 'critical' },
        { name: 'host', op: '!=', value: 'db-1' },
      ],
    ]);
  });

  it('should ask an operator, whose word counts', async () => {
    bench = new Bench({ create_silence: { ...ASK, policy: 'ask-operator' } });
    bench.now = Date.now();
    expect(contentOf(await bench.run('silence DiskFull for 1h'))).toMatch(
      /Approved by the operator olga.*new-id/,
    );
    expect(bench.desk.asked[0]?.summary).toContain('alertname="DiskFull"');
    bench.desk.operator = { decision: 'refused', by: 'olga' };
    expect(contentOf(await bench.run('silence DiskFull for 1h'))).toMatch(/olga refused/);
    bench.desk.operator = { decision: 'expired' };
    expect(contentOf(await bench.run('silence DiskFull for 1h'))).toMatch(/No operator decided/);
    expect(bench.created).toHaveLength(1);
  });
});
