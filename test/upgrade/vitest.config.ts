import { defineConfig } from 'vitest/config';

/** Apart from the rest: it builds an earlier commit first. */
export default defineConfig({
  test: {
    name: 'upgrade',
    root: import.meta.dirname,
    include: ['*.spec.ts'],
    passWithNoTests: false,
    reporters: ['default', '../support/count-reporter.ts'],
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
});
