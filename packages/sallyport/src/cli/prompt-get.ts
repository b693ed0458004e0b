import { FaultError } from '../core/errors.ts';
import type { Command } from './command.ts';
import { describePrompt } from './describe-result.ts';
import { toRefusal } from './list-items.ts';
import { withSession } from './open-session.ts';
import { SESSION_FLAGS, splitTarget, TARGET_WORD } from './resolve-target.ts';

export const promptGet: Command = {
  name: 'prompt get',
  summary: 'get a prompt with its arguments filled in',
  words: [TARGET_WORD, ['<prompt>', 'its name at the server'], ['[arguments...]', 'key=value']],
  options: [...SESSION_FLAGS, { flags: '--progress', meaning: 'show progress on stderr' }],
  dashes: 'target',
  example: 'sallyport prompt get everything args-prompt city=Paris',
  run(input) {
    const {
      target,
      words: [name = '', ...words],
    } = splitTarget(input, 1);
    const given = Object.fromEntries(words.map(splitWord));
    return withSession(input, target, async (session) => {
      const outcome = await session.request('prompts/get', { name, arguments: given }, { target: name });
      return outcome.kind === 'error'
        ? toRefusal(outcome.error)
        : { value: outcome.result, text: describePrompt(outcome.result) };
    });
  },
};

/** Arguments of prompts are texts (MCP prompts#getting-a-prompt). */
function splitWord(word: string): [string, string] {
  const at = word.indexOf('=');
  if (at < 1) throw new FaultError('usage', `${JSON.stringify(word.slice(0, 40))} is no key=value.`);
  return [word.slice(0, at), word.slice(at + 1)];
}
