import { defineConfig } from 'vitest/config';

/** Deadlines and no assertions on speed: they end a test that hangs, whatever else the machine has to do. */
const PATIENCE = {
  testTimeout: 120_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000, interval: 20 } },
};

/** `unit` stands beside the file it tests; `e2e` drives the built program from outside. */
export default defineConfig({
  test: {
    dangerouslyIgnoreUnhandledErrors: false,
    // Real servers and children: two cores carry two files at a time.
    maxWorkers: 2,
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            'packages/*/test/{layers,patterns}.test.ts',
            'servers/*/src/**/*.test.ts',
            'bench/src/**/*.test.ts',
          ],
          // Named at the end of the run (scripts/second-tries.mjs): a test that needs it is to be mended.
          retry: 1,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: ['packages/*/test/{layers,patterns}.test.ts'],
          globalSetup: 'packages/sallyport/test/fresh-bundle.ts',
          retry: 1,
          ...PATIENCE,
        },
      },
    ],
  },
});
