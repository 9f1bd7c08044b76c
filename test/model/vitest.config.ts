import { defineConfig } from 'vitest/config';

// make model-mutants: the model test against scripts of which one line is changed.
export default defineConfig({
  test: {
    passWithNoTests: false,
    include: ['test/model/line-mutants.spec.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 60_000,
  },
});
