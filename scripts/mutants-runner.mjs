// Runs unit tests for `mutants.mjs`, again and again in one process. It changes the files of the copy that it is started in.
import { readFileSync, writeFileSync } from 'node:fs';
import { createVitest } from 'vitest/node';

const vitest = await createVitest('test', {
  config: false,
  root: process.cwd(),
  watch: false,
  reporters: [{}],
  include: ['packages/*/src/**/*.test.ts'],
  setupFiles: ['packages/sallyport/test/after-each-file.ts'],
  bail: 1,
  maxWorkers: Number(process.env['MUTANTS_WORKERS']),
  // Wide, so that a busy machine notices no fault that is not there.
  retry: 1,
  testTimeout: 60_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 20_000 } },
});
const project = vitest.getRootProject();

/** @returns the first test that failed, and its file; `undefined`: all passed */
async function run(tests) {
  const specifications = tests.map((test) => project.createSpecification(test));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, false);
  for (const module of testModules) {
    // Those of runs before are in it, too.
    if (!tests.includes(module.moduleId) || module.ok()) continue;
    const [failed] = module.children.allTests('failed');
    const by = `${module.relativeModuleId}${failed === undefined ? '' : ` > ${failed.fullName}`}`;
    return { by, test: module.moduleId };
  }
  return unhandledErrors.length > 0 ? { by: 'an unhandled error' } : undefined;
}

process.on('message', async ({ file, text, rounds }) => {
  const original = file === undefined ? undefined : readFileSync(file, 'utf8');
  let failed;
  try {
    if (file !== undefined) {
      writeFileSync(file, text);
      vitest.invalidateFile(file);
    }
    for (const tests of rounds) {
      failed = await run(tests);
      if (failed !== undefined) break;
    }
  } catch (error) {
    failed = { by: `the run itself: ${error}` };
  } finally {
    if (file !== undefined) {
      writeFileSync(file, original);
      vitest.invalidateFile(file);
    }
  }
  process.send({ failed });
});
process.send({ isReady: true });
