import { defineConfig } from 'vitest/config';

/** `make fuzz`: apart from the other tests, since every run of it asks something new. */
export default defineConfig({
  test: { root: import.meta.dirname, include: ['*.fuzz-spec.ts'], pool: 'forks' },
});
