import { defineConfig } from 'vitest/config';

/** `make fuzz`: as long as wanted, where the e2e project sends the same few every time. */
export default defineConfig({
  test: { root: import.meta.dirname, include: ['*.fuzz-spec.ts'], pool: 'forks' },
});
