import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approval, idIn, start } from './approvals-set-up.ts';
import { lockDatabase } from './lock-database.ts';
import { PlainClient, textOf } from './plain-client.ts';

test('while another process holds the database calls pass, and what must be written is written', async () => {
  const { gateway, count, state } = await start({ asks: ['a/count'] });
  const client = await new PlainClient(gateway).initialize();
  // The connection is open and the pins are written.
  expect(textOf(await client.call('a_echo', {}))).toContain('echo');
  const allowed = idIn(await client.call('a_count', { of: 'sheep' }));
  await approval(state, 'allow', allowed);

  const { release } = await lockDatabase(join(state, 'sallyport.db'));
  let written = false;
  const late = Promise.all([client.call('a_count', { of: 'wolves' }), client.call('a_count', { of: 'sheep' })]).finally(
    () => {
      written = true;
    },
  );
  // A gateway that waits as SQLite itself does stands still until the lock is let go, which is after these.
  for (let i = 0; i < 20; i++) expect(textOf(await client.call('a_echo', {}))).toContain('echo');
  expect(written).toBe(false);
  expect(count()).toBe(0);
  await release();
  const [asked, counted] = await late;
  // The question is on disk, and so is the use of the yes: it left once.
  expect((await approval(state, 'show', idIn(asked))).json()).toMatchObject({ state: 'waiting' });
  expect(textOf(counted)).toBe('counted');
  expect(count()).toBe(1);
});
