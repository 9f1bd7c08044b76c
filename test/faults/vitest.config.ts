import { defineConfig } from 'vitest/config';

/** Apart from the rest: minutes, not seconds. One fault after another, each with the machine alone. */
export default defineConfig({
  test: {
    name: 'faults',
    root: import.meta.dirname,
    include: ['*.fault-spec.ts'],
    passWithNoTests: false,
    globalSetup: ['./report.ts'],
    pool: 'forks',
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
