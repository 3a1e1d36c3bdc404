import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/scratch.ts'],
    // Real samplers and real simulations: a generous limit, since nothing here asserts a duration.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    // Two cores: tests that profile a live process must not compete with each other.
    fileParallelism: false,
  },
});
