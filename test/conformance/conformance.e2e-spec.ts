import { afterAll, beforeAll, describe, it } from 'vitest';
import './proofs/index.js';
import { Deployment } from './support/deployment.js';
import { proofs } from './support/registry.js';
import { World } from './support/world.js';

const PATIENCE_MS = 30_000;
const ALL = proofs().map((proof, index) => ({ ...proof, index }));

let deployment: Deployment | undefined;

beforeAll(async () => {
  deployment = await Deployment.start(ALL.length);
  deployment.hook.answer = failTwice();
}, 300_000);
afterAll(async () => {
  await deployment?.stop();
});

/** Webhooks whose path ends in `fails-twice` refuse their first two notifications. */
function failTwice(): Deployment['hook']['answer'] {
  const calls = new Map<string, number>();
  return ({ path }) => {
    const call = (calls.get(path) ?? 0) + 1;
    calls.set(path, call);
    return path.endsWith('/fails-twice') && call <= 2 ? 500 : 200;
  };
}

describe.concurrent('a gateway, started by the production command', () => {
  it.each(ALL)('should do what $id requires over $cell', async ({ cell, index, run }) => {
    const { site, hook } = deployment!;
    await run(new World(cell, site, hook, index, PATIENCE_MS));
  });
});
