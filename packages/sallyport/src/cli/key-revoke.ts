import { systemClock } from '../core/clock.ts';
import { revokeKey } from '../storage/keys.ts';
import type { Command } from './command.ts';
import { describeKey, withKeys } from './with-keys.ts';

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'end an API key for good; a running Sallyport refuses it within a second',
  words: [['<name>', 'its name or id']],
  example: 'sallyport key revoke ci',
  async run(input) {
    const [named = ''] = input.words;
    const now = systemClock.now();
    const key = await withKeys(input, (database) => revokeKey(database, named, now));
    return { value: describeKey(key, now), text: `Revoked ${key.name}` };
  },
};
