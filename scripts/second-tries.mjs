/**
 * Names every test that passed only when it was tried again. End-to-end tests share two cores with the servers they
 * start; one slow moment must not fail a run of six thousand checks, and must not stay unseen either.
 */
// biome-ignore lint/style/noDefaultExport: Vitest loads a reporter by its default export.
export default class SecondTries {
  #names = [];

  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky !== true) return;
    const first = test.result().errors?.[0]?.message ?? 'no reason kept';
    this.#names.push(`${test.module.relativeModuleId} > ${test.fullName}: ${first.split('\n')[0]}`);
  }

  onTestRunEnd() {
    for (const name of this.#names) process.stdout.write(`second try: ${name}\n`);
  }
}
