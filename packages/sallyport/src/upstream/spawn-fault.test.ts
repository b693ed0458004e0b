import { expect, test } from 'vitest';
import { childSettings } from '../../test/upstream-set-up.ts';
import { isStdio, toSpawnFault } from './spawn-fault.ts';

test('a command line that stands where the program belongs is not repeated', () => {
  const settings = childSettings([]);
  if (!isStdio(settings)) throw new Error('no stdio');
  const transport = { ...settings.transport, command: 'node server.js --token=hunter2' };
  const { message } = toSpawnFault({ ...settings, transport }, Object.assign(new Error(), { code: 'ENOENT' }));
  expect(message).toContain('"node …" was not found. It holds spaces');
  expect(message).not.toContain('hunter2');
});
