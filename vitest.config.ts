import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Two cores: more workers than that only make each other's bounds run out.
    maxWorkers: 2,
    // A guard against what hangs, far above what anything takes on two busy cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
