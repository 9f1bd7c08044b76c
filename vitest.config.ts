import { defineConfig } from 'vitest/config';

// Three projects: unit (no I/O), integration (real Redis and friends in the test's own child
// processes), e2e (two or more gateways started from dist by the production command).
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
          // Alone: two processes that are killed on a clock must not share the cores with others.
          sequence: { groupOrder: 2 },
          include: [
            'test/e2e/**/*.e2e-spec.ts',
            'test/conformance/*.e2e-spec.ts',
            'test/conformance/fuzz/*.fuzz-spec.ts',
          ],
          maxConcurrency: 8,
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
