import { HONEST } from './agent-tools.ts';
import { createRuns, type GuardedRun } from './guarded-run.ts';
import type { Data } from './read-rows.ts';

const MEGABYTE = 1_048_576;
const RESULT = 65_536;
const ROUNDS = 400;

/** A call with a recipient, a subject and a few sentences, looked up in a megabyte of results: median, in milliseconds. */
export async function timeTaint(data: Data): Promise<number | undefined> {
  const all = (data.get('benign_results') ?? []).map((row) => row.text('result')).join('\n');
  if (all.length < MEGABYTE) return undefined;
  const run = (await createRuns())('Tell me what it says.');
  for (let at = 0; at < MEGABYTE; at += RESULT) await run.read('work', 'get_result', all.slice(at, at + RESULT));
  await time(run);
  const times = await time(run);
  return times.sort((a, b) => a - b)[ROUNDS >> 1];
}

async function time(run: GuardedRun): Promise<number[]> {
  const given = {
    to: 'jo@team.example',
    subject: 'What we found',
    body: 'The first part is done, and the second one will be by Tuesday. '.repeat(8),
  };
  const times: number[] = [];
  for (let i = 0; i < ROUNDS; i++) {
    const startedAt = performance.now();
    await run.call(HONEST.mail, given);
    times.push(performance.now() - startedAt);
  }
  return times;
}
