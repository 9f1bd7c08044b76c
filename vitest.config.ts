import { defineConfig } from 'vitest/config';

/**
 * End to end, one at a time: tests that kill or stop processes on a clock, or that measure memory or
 * CPU, must not share the cores.
 */
const ALONE = [
  'cut-connections',
  'poison',
  'redis-outage',
  'slow-reader',
  'subscriptions',
  'takeover',
  'zombie',
].map((name) => `test/e2e/${name}.e2e-spec.ts`);

const endToEnd = {
  maxConcurrency: 8,
  pool: 'forks',
  testTimeout: 180_000,
  hookTimeout: 120_000,
} as const;

// unit (no I/O), integration (real Redis and friends in the test's own child processes), e2e (two or
// more gateways started from dist by the production command).
export default defineConfig({
  test: {
    passWithNoTests: false,
    reporters: ['default', './test/support/count-reporter.ts'],
    coverage: { provider: 'v8', include: ['src/**/*.ts'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          sequence: { groupOrder: 0 },
          include: [
            'src/**/*.spec.ts',
            'test/lua/*.spec.ts',
            'test/repo/*.spec.ts',
            'test/conformance/*.spec.ts',
          ],
          // Without I/O nothing waits; a busy machine may still take its time.
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          sequence: { groupOrder: 1 },
          include: ['test/{integration,model}/**/*.int-spec.ts', 'test/conformance/*.int-spec.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          sequence: { groupOrder: 2 },
          include: [
            'test/e2e/**/*.e2e-spec.ts',
            'test/conformance/*.e2e-spec.ts',
            'test/conformance/fuzz/*.fuzz-spec.ts',
          ],
          exclude: ALONE,
          ...endToEnd,
          // Most of their time they wait for processes.
          maxWorkers: 2,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e-alone',
          sequence: { groupOrder: 3 },
          include: ALONE,
          ...endToEnd,
          fileParallelism: false,
        },
      },
    ],
  },
});
