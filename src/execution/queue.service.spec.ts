import { expect, it } from 'vitest';
import { QueueService } from './queue.service.js';

it('should forget a task that is gone before its turn, so that no sweep stumbles over it again', async () => {
  const forgotten: string[] = [];
  const parts = {
    handed: { onHanded: () => undefined },
    execution: {
      now: () => 0,
      own: async (_tenant: string, _task: string, start: (hinted: Promise<void>) => unknown) => {
        expect(await start(Promise.resolve())).toBeUndefined();
      },
    },
    lease: { leaseMs: 1 },
    owners: {
      handed: () => Promise.resolve(['gone']),
      forgetQueued: (tenant: string, task: string) => {
        forgotten.push(`${tenant}/${task}`);
        return Promise.resolve();
      },
    },
    reader: { read: () => Promise.resolve(undefined) },
    tenants: { all: () => [{ id: 'acme', contextConcurrency: 'queue' }] },
  };
  const { handed, execution, lease, owners, reader, tenants } = parts;
  const queue = new QueueService(
    ...([handed, execution, lease, owners, reader, tenants] as unknown as ConstructorParameters<
      typeof QueueService
    >),
  );
  await queue.sweep();
  expect(forgotten).toEqual(['acme/gone']);
});
