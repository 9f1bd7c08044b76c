import { defineConfig } from 'vitest/config';

/** Apart from the rest: it installs the packages twice, as docker/Dockerfile does. */
export default defineConfig({
  test: {
    name: 'image',
    root: import.meta.dirname,
    include: ['*.spec.ts'],
    passWithNoTests: false,
    reporters: ['default', '../support/count-reporter.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
