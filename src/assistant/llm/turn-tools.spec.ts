import { describe, expect, it } from 'vitest';
import { FakeDesk } from '../../../test/support/fake-desk.js';
import { FakeSources, NOW, turnOf } from '../../../test/support/fake-sources.js';
import type { RemoteTool } from '../remote/remote-tool.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { createSilence } from '../tools/create-silence.tool.js';
import { SourceReads } from '../tools/source-reads.js';
import type { Tool } from '../tools/tool.js';
import { TurnWrites } from '../writes/carry-out.js';
import { Fence } from './fence.js';
import { Redactor } from './redactor.js';
import { TurnTools } from './turn-tools.js';

const COMMON = { description: '', inputSchema: {} };
const SILENCE = { matchers: [{ name: 'team', value: 'pay' }], duration_minutes: 60 };

describe('a batch of calls whose turn is over during the first of them', () => {
  it('should begin nothing that waits: no read, no remote call, no write', async () => {
    const begun: string[] = [];
    const abort = new AbortController();
    const { signal } = abort;
    const reason = new Error('canceled');
    // As many as go at once, and none of them looks at the signal.
    const release: (() => void)[] = [];
    const slow: Tool = {
      ...COMMON,
      name: 'slow',
      readOnly: true,
      needs: () => true,
      run: async () => {
        begun.push('read');
        await new Promise<void>((resolve) => {
          release.push(resolve);
        });
        return { query: '', time: '', sources: [] };
      },
    };
    const remote: RemoteTool = {
      ...COMMON,
      name: 'far__do',
      remote: 'far',
      kind: 'agent',
      readOnly: false,
      policy: 'auto',
      what: () => 'do it',
      call: () => {
        begun.push('remote');
        throw new Error('called');
      },
    };
    const write = { ...createSilence, plan: () => (begun.push('write'), Promise.reject(reason)) };
    const fake = new FakeSources();
    const sources = new TenantSources([fake.router, fake.metrics]);
    const desk = new FakeDesk();
    const turn = turnOf('do it all');
    const tools = new TurnTools({
      tools: [slow],
      remoteTools: [remote],
      scene: { turn, desk: desk.calls, signal },
      writeTools: [write],
      writes: new TurnWrites({
        turn,
        sources,
        writes: {
          create_silence: {
            policy: 'auto',
            within: { matchers: [], longestSeconds: 7200 },
            otherwise: 'deny',
          },
        },
        desk,
        signal,
        now: NOW,
      }),
      context: { reads: new SourceReads(sources) },
      language: 'en',
      redactor: new Redactor([]),
      fence: new Fence(),
      signal,
      meter: undefined,
      onBug: () => undefined,
    });
    const ends = Promise.allSettled([
      ...Array.from({ length: 4 }, () => tools.call(slow, {})),
      tools.call(remote, {}),
      tools.call(write, SILENCE),
      tools.call(slow, {}),
    ]);
    await expect.poll(() => release.length).toBe(4);
    abort.abort(reason);
    for (const one of release) one();
    const settled = await ends;
    expect(begun).toEqual(['read', 'read', 'read', 'read']);
    expect(settled.slice(4)).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
  });
});
