import { describe, expect, it } from 'vitest';
import { FakeSources, NOW, Talk } from '../../../test/support/fake-sources.js';
import { TenantSources } from '../sources/tenant-sources.js';
import { alertHistory } from './alert-history.tool.js';
import { listSilences } from './list-silences.tool.js';
import { runTool } from './run-tool.js';
import { SourceReads } from './source-reads.js';

const signal = new AbortController().signal;

describe('a tool without a source that can answer', () => {
  it.each([alertHistory, listSilences])(
    'should say so, not that there is none: $name',
    async (tool) => {
      const { metrics } = new FakeSources();
      const reads = new SourceReads(new TenantSources([metrics]));
      const outcome = await runTool(tool, {}, { reads }, signal, () => undefined);
      expect(outcome.success).toBe(false);
      expect(outcome.show(500)).toMatch(/no source of this team/i);
    },
  );
});

describe('the figures of a chart', () => {
  const fake = new FakeSources({
    query: () => ({
      kind: 'matrix',
      warnings: [],
      series: [
        { labels: { __name__: 'node_load1' }, samples: [{ at: NOW - 3_600_000, value: '4' }] },
      ],
    }),
  });

  it('should tell their step where much lies in between', async () => {
    const talk = new Talk(fake);
    expect(await talk.ask('plot node_load1 over the last 24 hours')).toContain(
      'one value each 6 min',
    );
    expect(await talk.ask('plot node_load1 over the last hour')).not.toContain('one value each');
  });
});
