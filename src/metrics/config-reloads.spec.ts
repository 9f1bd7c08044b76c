import { beforeEach, expect, it } from 'vitest';
import { configReloaded } from './config-reloads.js';
import { metrics } from './metrics.js';

async function isCurrent(): Promise<number | undefined> {
  return (await metrics.configIsCurrent.get()).values[0]?.value;
}

beforeEach(() => {
  configReloaded('file', true);
  configReloaded('certificate', true);
});

it('should call the configuration current only once all that was refused has been taken', async () => {
  configReloaded('file', false);
  configReloaded('certificate', false);
  configReloaded('file', true);
  expect(await isCurrent()).toBe(0);
  configReloaded('certificate', true);
  expect(await isCurrent()).toBe(1);
});
