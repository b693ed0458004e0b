import { expect, it } from 'vitest';
import { approval, idIn, rest, start } from './approvals-set-up.ts';
import { cli } from './cli-terminal.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient } from './plain-client.ts';

it('lists and records show the person behind a key, and keep the id of the key', async () => {
  const { gateway, state } = await start();
  const ada = await keyHolder(gateway, 'ada', ['--person', 'ada@example.com']);
  const bo = await keyHolder(gateway, 'bo', ['--person', 'bo@example.com', '--group', 'operator']);
  const run = (...words: string[]) => cli(words, { env: { SALLYPORT_STATE: state } });
  const id = idIn(await (await new PlainClient(ada).initialize()).call('a_count'));

  expect((await run('approval', 'list')).stdout).toMatch(/a\/count {2}ada@example\.com/);
  expect((await run('approval', 'show', id)).stdout).toContain('Caller     ada@example.com, with');
  expect((await approval(state, 'show', id)).json()).toMatchObject({
    person: 'ada@example.com',
    principal: expect.stringMatching(/^key:/),
  });

  await rest(bo, 'POST', `/approvals/${id}/allow`, { scope: 'always' });
  expect((await run('approval', 'show', id)).stdout).toContain('  bo@example.com (api): allow always');
  expect((await run('approval', 'list', '--grants')).stdout).toMatch(/a\/count {2}ada@example\.com/);
  const { body } = await rest(bo, 'GET', '/pins');
  const pin = (body['items'] as { server: string; item: string; digest: string }[]).find(
    ({ item }) => item === 'tools/echo',
  );
  const decided = { server: pin?.server, item: pin?.item, digest: pin?.digest };
  expect((await rest(bo, 'POST', '/pins/approve', { items: [decided] })).status).toBe(200);
  const listed = (await run('pin', 'list', 'a', '--json')).json() as { pins: { item: string }[] };
  expect(listed.pins.find(({ item }) => item === 'tools/echo')).toMatchObject({
    approvedBy: 'bo@example.com',
    approvedById: expect.stringMatching(/^key:/),
  });
  const audit = await run('audit', 'search', '--kind', 'pin_approve');
  expect(audit.stdout).toContain('bo@example.com');
  expect(`${audit.stdout}${(await run('pin', 'list')).stdout}`).not.toMatch(/key:[0-9a-f]/);
  // Whoever uses the state folder is named as the operating system names them.
  expect((await run('audit', 'search', '--kind', 'key_create')).stdout).toContain('os:');
});
