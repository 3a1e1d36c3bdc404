import { configDefaults, defineConfig } from 'vitest/config';

/** Tests of what starts nothing and leaves nothing: they may share a process, and run beside each other. */
const PURE = ['formats', 'model', 'page', 'recording', 'report', 'rules', 'stats'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    globalSetup: ['test/scratch.ts'],
    // Real samplers and real simulations: a generous limit, since nothing here asserts a duration.
    testTimeout: 120_000,
    hookTimeout: 240_000,
    projects: [
      {
        extends: true,
        test: { name: 'pure', include: PURE, isolate: false, maxWorkers: 2, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: {
          name: 'real',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...PURE],
          // Two cores: tests that profile a live process must not compete with each other.
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
