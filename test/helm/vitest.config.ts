import { defineConfig } from 'vitest/config';

/** Apart from the rest: these tests need helm and kubernetes-validate (scripts/helm-tools.sh). */
export default defineConfig({
  test: {
    name: 'helm',
    root: import.meta.dirname,
    include: ['*.spec.ts'],
    passWithNoTests: false,
    reporters: ['default', '../support/count-reporter.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
