import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, startGateway } from './running-sallyport.ts';

test('keys of Sallyport never go to a server; other long values do', async () => {
  const gateway = await startGateway({ mcpServers: { a: misbehaving() } });
  const { stateDir } = gateway.process;
  const ada = await keyHolder(gateway, 'ada', ['--person', 'ada']);
  const client = await new PlainClient(gateway).initialize();
  const files = ['key', 'seal-key', 'control-token', 'audit-seal-key', 'audit-digest-key'];
  const keys = [
    ...files.map((name) => readFileSync(join(stateDir, name), 'utf8').trim()),
    (ada.headers['authorization'] ?? '').slice('Bearer '.length),
  ];
  for (const key of keys) {
    expect(key.length).toBeGreaterThan(31);
    const answer = await client.call('a_echo', { list: [{ note: `it is ${key}.` }] });
    expect(answer.result).toMatchObject({ isError: true });
    expect(textOf(answer)).toContain('A key of Sallyport itself stands at /list/0/note');
    expect(JSON.stringify(answer)).not.toContain(key);
  }
  for (const id of [`sp_${randomBytes(32).toString('base64url')}`, randomBytes(32).toString('hex')])
    expect(textOf(await client.call('a_echo', { id }))).toContain(id);
});
