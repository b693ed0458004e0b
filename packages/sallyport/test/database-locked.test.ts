import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approval, idIn, start } from './approvals-set-up.ts';
import { lockDatabase } from './lock-database.ts';
import { PlainClient, textOf } from './plain-client.ts';

test('while another process holds the database for two seconds calls pass, and what must be written is written', async () => {
  const { gateway, count, state } = await start({ asks: ['a/count'] });
  const client = await new PlainClient(gateway).initialize();
  // The connection is open and the pins are written.
  expect(textOf(await client.call('a_echo', {}))).toContain('echo');
  const allowed = idIn(await client.call('a_count', { of: 'sheep' }));
  await approval(state, 'allow', allowed);

  const { release } = await lockDatabase(join(state, 'sallyport.db'), 2_000);
  const lockedAt = performance.now();
  let written = false;
  const late = Promise.all([client.call('a_count', { of: 'wolves' }), client.call('a_count', { of: 'sheep' })]).finally(
    () => {
      written = true;
    },
  );
  let passed = 0;
  for (let longest = 0; performance.now() - lockedAt < 1_500 && !written; passed++) {
    const start = performance.now();
    expect(textOf(await client.call('a_echo', {}))).toContain('echo');
    longest = Math.max(longest, performance.now() - start);
    // One that waits as SQLite itself does stands still for all of it.
    expect(longest).toBeLessThan(1_000);
  }
  expect(written).toBe(false);
  expect(passed).toBeGreaterThan(10);
  expect(count()).toBe(0);
  const [asked, counted] = await late;
  expect(performance.now() - lockedAt).toBeLessThan(5_000);
  // The question is on disk, and so is the use of the yes: it left once.
  expect((await approval(state, 'show', idIn(asked))).json()).toMatchObject({ state: 'waiting' });
  expect(textOf(counted)).toBe('counted');
  expect(count()).toBe(1);
  await release();
});
