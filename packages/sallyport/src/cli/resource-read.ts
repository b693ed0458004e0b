import type { Command } from './command.ts';
import { describeContents } from './describe-result.ts';
import { toRefusal } from './list-items.ts';
import { withSession } from './open-session.ts';
import { SESSION_FLAGS, splitTarget, TARGET_WORD } from './resolve-target.ts';

export const resourceRead: Command = {
  name: 'resource read',
  summary: 'read a resource',
  words: [TARGET_WORD, ['<uri>', 'the address of the resource']],
  options: [...SESSION_FLAGS, { flags: '--progress', meaning: 'show progress on stderr' }],
  dashes: 'target',
  example: 'sallyport resource read https://example.com/mcp file:///readme.md > readme.md',
  run(input) {
    const {
      target,
      words: [uri = ''],
    } = splitTarget(input, 1);
    return withSession(input, target, async (session) => {
      const outcome = await session.request('resources/read', { uri }, { target: uri });
      if (outcome.kind === 'error') return toRefusal(outcome.error);
      return { value: outcome.result, text: describeContents(outcome.result, input.terminal.stdout.isTTY === true) };
    });
  },
};
