import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import { readUnattended, UNATTENDED_FLAG } from './attended.ts';
import type { Command } from './command.ts';
import { REASON_MEANING, readReason } from './read-reason.ts';

export const resultRelease: Command = {
  name: 'result release',
  summary: 'let the caller of a quarantined result have it, once, with a reason',
  words: [['<id>', 'as sallyport result list shows it']],
  options: [{ flags: '--reason <text>', meaning: REASON_MEANING }, UNATTENDED_FLAG],
  example: 'sallyport result release re_0123456789abcdef --reason "a page about attacks"',
  async run(input) {
    const [id = ''] = input.words;
    const reason = readReason(input.options);
    const unattended = readUnattended(input);
    const after = await withApi(input, (api) =>
      api.call('releaseResult', { path: { id }, body: { reason, unattended } }),
    );
    return { value: toJson(after), text: `Released ${id}. The same call, made again, gets it once.` };
  },
};
