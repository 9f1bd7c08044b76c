import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Frame, Turn } from '../../src/assistant/assistant-backend.js';
import { BuiltinBackend } from '../../src/assistant/builtin/builtin-backend.js';
import { LlmBackend } from '../../src/assistant/llm/llm-backend.js';
import { Redactor } from '../../src/assistant/llm/redactor.js';
import { TenantRemotes } from '../../src/assistant/remote/tenant-remotes.js';
import { N9eSource } from '../../src/assistant/sources/n9e/n9e.source.js';
import { TenantSources } from '../../src/assistant/sources/tenant-sources.js';
import { ApprovalGate } from '../../src/assistant/writes/approval-gate.js';
import type { WriteRule, WritesConfig } from '../../src/config/config.types.js';
import { FakeDesk } from '../support/fake-desk.js';
import { contentOf, turnOf } from '../support/fake-sources.js';
import { llmConfig } from '../support/llm-bench.js';
import { businessError, N9eServer, plain, type Row } from '../support/n9e-server.js';
import { quietLogger } from '../support/quiet-logger.js';
import { openai, ScriptedLlm } from '../support/scripted-llm.js';

const TOKEN = '0b7c2f7e-6d0e-4c57-9f0b-0c0d6f0c9a11';
const SECRET = 'other-teams-secret';
const SECONDS = Math.floor(Date.now() / 1000);
const ASK: WriteRule = { policy: 'ask-caller', within: { matchers: [] }, otherwise: 'deny' };
const ASKED: WritesConfig = { create_silence: ASK, expire_silence: ASK };

type Question = Extract<Frame, { kind: 'input_required' }>;

/** As n9e's engine writes them: the name of the rule is a tag. */
function event(group: number, name: string, host: string, more: Row = {}): Row {
  return {
    id: Math.random(),
    group_id: group,
    group_name: group === 1 ? 'prod' : group === 3 ? 'staging' : `${SECRET}-group`,
    hash: `hash-${name}-${host}`,
    rule_name: name,
    rule_prod: 'metric',
    cate: 'prometheus',
    datasource_id: 7,
    severity: 1,
    tags: [`host=${host}`, `rulename=${name}`],
    annotations: {},
    trigger_time: SECONDS - 60,
    first_trigger_time: SECONDS - 600,
    notify_rules: [],
    ...more,
  };
}

let server: N9eServer;
let opened: N9eSource[];
let desk: FakeDesk;
let llm: ScriptedLlm;

quietLogger();
beforeAll(async () => {
  llm = await ScriptedLlm.start();
});
afterAll(() => llm.close());
beforeEach(async () => {
  server = await N9eServer.start();
  Object.assign(server.facts, {
    users: { [TOKEN]: { id: 5, username: 'nightjar', groups: [1, 2, 3] } },
    groups: [
      { id: 1, name: 'prod' },
      { id: 2, name: `${SECRET}-group` },
      { id: 3, name: 'staging' },
    ],
    current: [
      event(1, 'DiskFull', 'db-1'),
      event(1, 'DiskFull', 'db-2', { datasource_id: 8 }),
      event(1, 'HighLatency', 'web-1', { severity: 2 }),
      event(3, 'SlowDisk', 'db-9'),
      event(2, 'DiskFull', SECRET),
    ],
  });
  opened = [];
  desk = new FakeDesk();
});
afterEach(async () => {
  await Promise.all(opened.map((source) => source.close()));
  await server.stop();
});

function sources(over: { mutes?: boolean; busiGroups?: number[] } = {}): TenantSources {
  const source = new N9eSource({
    ...{ type: 'n9e', name: 'night', url: server.url, timeoutMs: 1000, maxBytes: 1_000_000 },
    headers: { 'X-User-Token': TOKEN },
    ...{ busiGroups: [1, 3], datasources: [], mutes: true, ...over },
  });
  opened.push(source);
  return new TenantSources([source]);
}

interface Scene {
  readonly writes?: WritesConfig;
  readonly of?: TenantSources;
  readonly turn?: Partial<Turn>;
}

async function run(text: string, { writes = ASKED, of = sources(), turn = {} }: Scene = {}) {
  const remotes = new TenantRemotes({ id: 'acme', remotes: [], mcpServers: [] }, new Redactor([]));
  const inner = new BuiltinBackend(of, Date.now, writes);
  const gate = new ApprovalGate(inner, { remotes, sources: of, writes });
  const frames: Frame[] = [];
  const { signal } = new AbortController();
  for await (const frame of gate.run(turnOf(text, turn), signal, desk)) {
    frames.push(frame);
    if (frame.kind === 'input_required') break;
  }
  return frames;
}

async function proposed(text: string, scene: Scene = {}): Promise<Question> {
  const frames = await run(text, scene);
  const found = frames.find((frame) => frame.kind === 'input_required');
  if (found === undefined) throw new Error(`no question, but: ${contentOf(frames)}`);
  return found;
}

function answer(text: string, asked: Question, scene: Scene = {}): Promise<Frame[]> {
  const { question, expects, plan } = asked;
  const answering = { question, expects, ...(plan === undefined ? {} : { plan }) };
  return run(text, { ...scene, turn: { answering, ...scene.turn } });
}

/** Requests that change something, preview not among them. */
function changes(): readonly string[] {
  return server.requests
    .map(({ path }) => path)
    .filter((path) => /\/busi-group\/\d+\/alert-mutes(\/fields)?$/.test(path));
}

describe('a mute', () => {
  it('should be proposed with what n9e says that it covers, and made by a yes as it was shown', async () => {
    const asked = await proposed('silence DiskFull for an hour');
    expect(asked.question).toContain('busi group prod, datasource 7, 8');
    expect(asked.question).toContain('itself says that it covers 2 alerts that fire now');
    expect(asked.question).toContain('DiskFull (host=db-1, rulename=DiskFull)');
    expect(JSON.stringify(asked)).not.toContain(SECRET);
    expect(changes()).toEqual([]);
    expect(contentOf(await answer('yes', asked))).toContain('the silence `1` is in `night`');
    expect(server.facts.mutes).toMatchObject([
      {
        ...{ group_id: 1, prod: 'metric', cate: 'prometheus', datasource_ids: [7, 8] },
        severities: [1, 2, 3],
        tags: [{ key: 'rulename', func: '==', value: 'DiskFull' }],
        ...{ mute_time_type: 0, mute_type: 0, disabled: 0 },
      },
    ]);
    const [{ btime, etime, note, cause } = {}] = server.facts.mutes;
    expect(Number(etime) - Number(btime)).toBeGreaterThan(3500);
    expect(Number(etime) - Number(btime)).toBeLessThanOrEqual(3600);
    expect(note).toContain('through Nightjar, task');
    expect(cause).toBe(note);
    expect(desk.done).toHaveLength(1);
  });

  it('should be narrowed by severity and further tags, several values of one among them', async () => {
    await answer('yes', await proposed('silence critical DiskFull on db-1 and db-2 for 2h'));
    expect(server.facts.mutes[0]).toMatchObject({
      severities: [1],
      tags: expect.arrayContaining([
        { key: 'rulename', func: '==', value: 'DiskFull' },
        { key: 'host', func: 'in', value: 'db-1 db-2' },
      ]) as unknown,
    });
  });

  it('should be known by its note where n9e tells no id', async () => {
    server.facts.tellsMuteIds = false;
    const asked = await proposed('silence DiskFull for an hour');
    expect(contentOf(await answer('yes', asked))).toContain('the silence `1` is in `night`');
  });

  it.each<[string, string, RegExp]>([
    ['that fits nothing', 'silence alertname="Nothing" for 1h', /nothing that fires now fits/],
    ['of no exact value', 'silence alertname=~"Disk.*" for 1h', /only exact values/],
    ['of what is not so', 'silence alertname!="DiskFull" for 1h', /only exact values/],
    ['of several groups', 'silence severity="critical" for 1h', /belongs to one busi group/],
    ['of another team', `silence host="${SECRET}" for 1h`, /nothing that fires now fits/],
  ])('should not be proposed when it is one %s', async (_name, text, why) => {
    const frames = await run(text);
    expect(contentOf(frames)).toMatch(why);
    expect(frames.some((frame) => frame.kind === 'input_required')).toBe(false);
    expect(changes()).toEqual([]);
  });

  it('should not be proposed when n9e says that it would mute nothing', async () => {
    // It fires by a name that is no tag of it: n9e would look for one.
    server.facts.current = [event(1, 'DiskFull', 'db-1', { tags: ['host=db-1'] })];
    expect(contentOf(await run('silence alertname="DiskFull" for 1h'))).toMatch(
      /such a mute would mute nothing that fires now/,
    );
    server.faults.set('/preview', (response) => {
      plain(response, 500, '');
    });
    expect(contentOf(await run('silence alertname="DiskFull" for 1h'))).toMatch(/HTTP 500/);
    expect(changes()).toEqual([]);
  });

  it('should want the exact phrase where nothing but its group bounds it', async () => {
    const asked = await proposed('silence busigroup="staging" for 1h');
    expect(asked.question).toContain('This is far-reaching');
    expect(await answer('yes', asked)).toContainEqual(
      expect.objectContaining({ kind: 'input_required' }),
    );
    expect(changes()).toEqual([]);
  });

  it('should be no longer made once its group is taken away from the tenant, nor for a user with rights of their own', async () => {
    const asked = await proposed('silence DiskFull for an hour');
    const of = sources({ busiGroups: [3] });
    expect(contentOf(await answer('yes', asked, { of }))).toMatch(
      /none of those.*Nothing was done/,
    );
    // Of group 1 they may see the alerts; where n9e was not asked they may change nothing.
    const turn = { busiGroups: [1, 3] };
    expect(contentOf(await answer('yes', asked, { turn }))).toMatch(/takes no silences/);
    expect(contentOf(await run('silence DiskFull for an hour', { turn }))).toMatch(
      /night: users of n9e may change no mutes from here/,
    );
    expect(changes()).toEqual([]);
  });

  describe('by a user of n9e', () => {
    const rights = (groups: readonly number[], at = server.url): Scene => ({
      turn: { user: 'n9e-7', busiGroups: [1, 3], mutes: { at, groups } },
    });

    it('should be made where n9e lets them, and only there', async () => {
      const asked = await proposed('silence SlowDisk for an hour', rights([3]));
      expect(asked.question).toContain('busi group staging');
      expect(contentOf(await answer('yes', asked, rights([3])))).toContain('`1` is in `night`');
      expect(server.facts.mutes).toMatchObject([
        { group_id: 3, note: expect.stringContaining('n9e-7 through Nightjar') as unknown },
      ]);
      expect(contentOf(await run('silence DiskFull for an hour', rights([3])))).toMatch(
        /lets you change no mutes there: it takes read and write in the busi group/,
      );
      expect(changes()).toHaveLength(1);
    });

    it('should be refused where they may only read, by what another n9e says, or lost it since', async () => {
      for (const scene of [rights([]), rights([1], 'http://another-n9e:17000')]) {
        expect(contentOf(await run('silence DiskFull for an hour', scene))).toMatch(
          /night: n9e lets you change no mutes there/,
        );
      }
      const asked = await proposed('silence DiskFull for an hour', rights([1, 3]));
      expect(contentOf(await answer('yes', asked, rights([3])))).toMatch(
        /none of those that may be changed.*Nothing was done/,
      );
      expect(changes()).toEqual([]);
    });

    it('should be ended where they may write, not where they only see it', async () => {
      server.facts.mutes = [1, 3].map((group) => ({
        ...{ id: 20 + group, group_id: group, note: 'moving', cause: '', disabled: 0 },
        tags: [{ key: 'rulename', func: '==', value: 'DiskFull' }],
        ...{ btime: SECONDS - 60, etime: SECONDS + 3600 },
      }));
      expect(contentOf(await run('expire silence 21', rights([3])))).toMatch(
        /lets you change no mutes there/,
      );
      expect(contentOf(await run('取消静默 21', rights([])))).toMatch(/n9e 不允许您在那里修改/);
      await answer('yes', await proposed('expire silence 23', rights([3])), rights([3]));
      expect(server.facts.mutes).toMatchObject([{ disabled: 0 }, { disabled: 1 }]);
    });
  });

  it('should be no longer made of another scope than was shown', async () => {
    const asked = await proposed('silence DiskFull for an hour');
    const args = asked.plan?.['args'] as { scope: object };
    const scope = { ...args.scope, group_id: 2, tags: [] };
    const plan = { ...asked.plan, args: { ...args, scope } };
    expect(contentOf(await answer('yes', { ...asked, plan }))).toContain('not the plan');
    expect(changes()).toEqual([]);
  });

  it('should not be offered where the source is not opened to it', async () => {
    const of = sources({ mutes: false });
    expect(contentOf(await run('silence DiskFull for an hour', { of }))).toMatch(/takes silences/);
  });

  it('should follow the policies of the tenant', async () => {
    const rule = (over: Partial<WriteRule>): Scene => ({
      writes: { create_silence: { ...ASK, ...over } },
    });
    const text = 'silence DiskFull for an hour';
    expect(contentOf(await run(text, rule({ policy: 'deny' })))).toMatch(/only read/);
    desk.operator = { decision: 'refused', by: 'olga' };
    expect(contentOf(await run(text, rule({ policy: 'ask-operator' })))).toMatch(/olga refused/);
    expect(desk.asked[0]?.summary).toMatch(/in busi group prod, datasource 7, 8 \(2 alerts now\)$/);
    const elsewhere = { matchers: [{ name: 'host', op: '=' as const, value: 'db-9' }] };
    expect(contentOf(await run(text, rule({ policy: 'auto', within: elsewhere })))).toMatch(
      /beyond/,
    );
    expect(changes()).toEqual([]);
    desk.operator = { decision: 'approved', by: 'olga' };
    await run(text, rule({ policy: 'ask-operator' }));
    await run(text, rule({ policy: 'auto' }));
    expect(server.facts.mutes).toHaveLength(2);
  });

  it('should be told for done only where it is known to be', async () => {
    const asked = await proposed('silence DiskFull for an hour');
    // It was made, and the answer was lost.
    server.faults.set('/busi-group/1/alert-mutes', (response) => response.destroy());
    const lost = await answer('yes', asked);
    expect(lost.at(-1)).toMatchObject({ kind: 'fail' });
    expect(JSON.stringify(lost)).toMatch(/not known whether it was done.*No such silence/);
    const args = asked.plan?.['args'] as { scope: Row; ends_at: string; comment: string };
    const stored: Row = {
      ...{ id: 77, note: args.comment, ...args.scope, btime: SECONDS },
      etime: Math.floor(Date.parse(args.ends_at) / 1000),
    };
    server.facts.mutes = [stored];
    server.faults.set('/busi-group/1/alert-mutes', (response) => response.destroy());
    expect(contentOf(await answer('yes', asked))).toContain('the silence `77` is in `night`');
    server.facts.mutes = [];
    server.faults.set('/busi-group/1/alert-mutes', (response) => {
      businessError(response, 'forbidden by policy');
    });
    expect(contentOf(await answer('yes', asked))).toMatch(/forbidden by policy.*Nothing was done/);
    // Taken, and then neither an id nor a list to find it in: nobody may say that nothing was done.
    server.facts.tellsMuteIds = false;
    server.faults.set('/busi-groups/alert-mutes', (response) => {
      plain(response, 403, 'forbidden');
      server.faults.set('/busi-groups/alert-mutes', (again) => {
        plain(again, 403, 'forbidden');
      });
    });
    expect((await answer('yes', asked)).at(-1)).toMatchObject({
      kind: 'fail',
      reason: expect.stringMatching(/not known whether it was done/) as unknown,
    });
  });

  it('should be made by a model as well, and answered for', async () => {
    const of = sources();
    const matchers = [{ name: 'alertname', value: 'HighLatency' }];
    llm.script(openai.calls({ id: 'c', name: 'create_silence', args: { matchers } }));
    const backend = new LlmBackend({
      ...{ config: llmConfig(llm.url), sources: of, secrets: [] },
      writes: ASKED,
    });
    const frames: Frame[] = [];
    const { signal } = new AbortController();
    for await (const frame of backend.run(turnOf('mute the latency'), signal, desk)) {
      frames.push(frame);
    }
    const asked = frames.find((frame) => frame.kind === 'input_required');
    expect(asked?.question).toContain('covers 1 alert that fires now');
    if (asked !== undefined) await answer('yes', asked, { of });
    expect(server.facts.mutes).toHaveLength(1);
  });
});

describe('the end of a mute', () => {
  const mute = (id: number, group: number, more: Row = {}): Row => ({
    ...{ id, group_id: group, note: 'moving', cause: '', create_by: 'bob', disabled: 0 },
    tags: [{ key: 'rulename', func: '==', value: 'DiskFull' }],
    ...{ btime: SECONDS - 60, etime: SECONDS + 3600, ...more },
  });

  it('should switch it off and leave it to be read', async () => {
    server.facts.mutes = [mute(21, 1), mute(22, 2)];
    const asked = await proposed('expire silence 21');
    expect(asked.question).toContain('21');
    expect(contentOf(await answer('yes', asked))).toContain('`21` in `night` has ended');
    expect(server.facts.mutes).toMatchObject([
      { id: 21, disabled: 1, note: 'moving' },
      { id: 22, disabled: 0 },
    ]);
  });

  it('should find no mute of another team, however it is named', async () => {
    server.facts.mutes = [mute(22, 2)];
    for (const text of ['expire silence 22', '取消静默 22', 'expire the silence on DiskFull']) {
      const frames = await run(text);
      expect(frames.some((frame) => frame.kind === 'input_required')).toBe(false);
    }
    // Nor one that has been moved there since it was shown.
    server.facts.mutes = [mute(21, 1)];
    const asked = await proposed('expire silence 21');
    server.facts.mutes = [mute(21, 2)];
    expect(contentOf(await answer('yes', asked))).toMatch(/ended already/);
    // Nor by its number alone: n9e would end it, whatever group the path names.
    await expect(opened[0]?.silenceWrites?.expire('21')).rejects.toThrow(/no mute 21/);
    expect(changes()).toEqual([]);
  });
});
