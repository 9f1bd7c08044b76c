import { describe, expect, it } from 'vitest';
import { alertOf, FakeSources } from '../../test/support/fake-sources.js';
import type { Frame } from '../assistant/assistant-backend.js';
import type { TenantBackends } from '../assistant/backend-registry.js';
import { Redactor } from '../assistant/llm/redactor.js';
import type { RemoteAnswer } from '../assistant/remote/remote-tool.js';
import { TenantSources } from '../assistant/sources/tenant-sources.js';
import type { CallContext } from '../domain/call-context.js';
import type { AllowanceService } from '../execution/allowance.service.js';
import { ToolService } from './tool.service.js';

const NEVER = new AbortController().signal;
const ann: CallContext = { tenant: 'acme', user: 'ann', scopes: [], requestId: 'r' };
const fakes = new FakeSources({ alerts: [alertOf({ alertname: 'A' }, { age: 5 })] });

let demanded = 0;
let refusal: Error | undefined;
const demand = (): Promise<void> => {
  demanded += 1;
  return refusal === undefined ? Promise.resolve() : Promise.reject(refusal);
};

function serviceOver(sources: TenantSources): ToolService {
  return new ToolService(
    { sourcesOf: () => sources } as unknown as TenantBackends,
    { of: () => ({ demand }) } as unknown as AllowanceService,
  );
}

describe('ToolService', () => {
  it('should call a tool of the registry, and say when there is none of that name', async () => {
    const tools = serviceOver(new TenantSources([fakes.router]));
    const outcome = await tools.call(ann, 'list_alerts', {}, NEVER);
    expect(outcome?.success).toBe(true);
    expect(JSON.parse(outcome?.show(10_000) ?? '')).toMatchObject({ total: 1 });
    expect(await tools.call(ann, 'rm', {}, NEVER)).toBeUndefined();
    expect((await tools.call(ann, 'list_alerts', { limit: 0 }, NEVER))?.success).toBe(false);
  });

  it('should take each call out of the day’s allowance, and call nothing beyond it', async () => {
    const tools = serviceOver(new TenantSources([fakes.router]));
    demanded = 0;
    await tools.call(ann, 'list_alerts', {}, NEVER);
    await tools.call(ann, 'rm', {}, NEVER);
    expect(demanded).toBe(1);
    refusal = new Error('used up');
    await expect(tools.call(ann, 'list_alerts', {}, NEVER)).rejects.toThrow('used up');
    refusal = undefined;
  });

  it('should tell no secret that stands in a source, nor one in its arguments', async () => {
    const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const hostile = new FakeSources({
      alerts: [
        alertOf(
          { alertname: 'A', note: 'hunter2-hunter2' },
          { annotations: { summary: token, description: 'DB_PASSWORD=letmein9' } },
        ),
      ],
    });
    const redactor = new Redactor(['hunter2-hunter2']);
    const tools = serviceOver(new TenantSources([hostile.router], { redactor }));
    for (const args of [{ name: 'A' }, { name: token }, { nosuch: token }]) {
      const outcome = await tools.call(ann, 'get_alert', args, NEVER);
      const told = `${outcome?.show(10_000) ?? ''} ${JSON.stringify(outcome?.result)}`;
      expect(told).not.toMatch(/hunter2|ghp_|letmein9/);
      if (args.name === 'A') expect(told).toContain('[redacted]');
    }
  });

  it('should offer nothing where there is nothing to read', async () => {
    const tools = serviceOver(new TenantSources([]));
    expect(tools.list(ann)).toEqual([]);
    expect(await tools.call(ann, 'list_alerts', {}, NEVER)).toBeUndefined();
  });

  it('should say whose words a remote tool’s answer holds', async () => {
    const told = async (answer: Partial<RemoteAnswer>): Promise<string | undefined> => {
      const tool = { name: 'far__look', remote: 'far', kind: 'agent', readOnly: true } as const;
      async function* call(): AsyncGenerator<Frame, RemoteAnswer> {
        yield* await Promise.resolve<Frame[]>([]);
        return { success: true, certainty: 'done', text: '', ...answer };
      }
      const remotes = { tools: () => [{ ...tool, call }] };
      const tools = new ToolService(
        { remotesOf: () => remotes } as unknown as TenantBackends,
        { of: () => ({ demand }) } as unknown as AllowanceService,
      );
      const outcome = await tools.callRemote(ann, 'far__look', {}, NEVER);
      expect(outcome).toMatchObject({ remote: 'far', kind: 'agent' });
      return outcome?.show(1000);
    };
    expect(await told({ text: 'fine\n\n**Done**' })).toBe(
      '**far** says:\n\n> fine\n> \n> **Done**',
    );
    expect(await told({})).toBe('**far** says: It ended without a word.');
    expect(
      await told({ text: 'hm\n\nwhich?', asks: { kind: 'text', question: 'which?' } }),
    ).toMatch(
      /^\*\*far\*\* says:\n\n> hm\n\n\*\*far\*\* asks:\n\n> which\?\n\nThis call cannot be answered/,
    );
    const ended = { state: 'rejected', partial: 'hm', reason: 'no' } as const;
    expect(await told({ success: false, ended })).toBe(
      '**far** says:\n\n> hm\n\n**far** would not do it, and says:\n\n> no',
    );
    const away = 'far could not be reached (ECONNREFUSED)';
    expect(await told({ success: false, certainty: 'refused', text: away })).toBe(away);
  });

  it('should read the sources as this caller sees them', async () => {
    class Narrowed extends TenantSources {
      override seenBy({ busiGroups }: { busiGroups?: readonly number[] }): TenantSources {
        return busiGroups === undefined ? this : new TenantSources([]);
      }
    }
    const tools = serviceOver(new Narrowed([fakes.router]));
    const outcome = await tools.call({ ...ann, busiGroups: [7] }, 'list_alerts', {}, NEVER);
    expect(outcome?.result?.sources).toEqual([]);
  });
});
