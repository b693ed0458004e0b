import { defineConfig } from 'vitest/config';

/** Deadlines and no assertions on speed: they end a test that hangs, whatever else the machine has to do. */
const PATIENCE = {
  testTimeout: 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 60_000, interval: 20 } },
};

const AFTER_EACH_FILE = 'packages/sallyport/test/after-each-file.ts';
/** Loading the sources anew for each of some hundred files takes a third of the time; no file changes what others see. */
const SHARED = { isolate: false, setupFiles: AFTER_EACH_FILE };

const LAYERS = 'packages/*/test/layers.test.ts';
/** The only rule: these take long and are of `npm run test:more`, all others are of `npm test`. */
const LONG = '**/*.more.test.ts';

/** `unit` stands beside the file it tests; `e2e` drives the built program from outside; `more` are the long ones of both. */
export default defineConfig({
  test: {
    dangerouslyIgnoreUnhandledErrors: false,
    // Files wait for children and sockets a third of the time: three at a time keep two cores busy.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', LAYERS, 'servers/*/src/**/*.test.ts', 'bench/src/**/*.test.ts'],
          exclude: [LONG],
          ...SHARED,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['packages/*/test/**/*.test.ts'],
          exclude: [LAYERS, LONG],
          globalSetup: 'packages/sallyport/test/fresh-bundle.ts',
          ...SHARED,
          ...PATIENCE,
        },
      },
      {
        test: {
          name: 'more',
          include: ['packages', 'servers', 'bench'].map((folder) => `${folder}/${LONG}`),
          exclude: ['**/node_modules/**'],
          globalSetup: 'packages/sallyport/test/fresh-bundle.ts',
          setupFiles: AFTER_EACH_FILE,
          ...PATIENCE,
        },
      },
    ],
  },
});
