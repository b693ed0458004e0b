import { isObject, type JsonObject } from '../core/json.ts';
import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import type { Command } from './command.ts';
import { describeToolResult } from './describe-result.ts';
import { describeWho } from './describe-who.ts';

export const resultShow: Command = {
  name: 'result show',
  summary: 'show a quarantined result: what was found in it, and what the server answered',
  words: [['<id>', 'as sallyport result list shows it']],
  example: 'sallyport result show re_0123456789abcdef',
  async run(input) {
    const [id = ''] = input.words;
    const found = await withApi(input, (api) => api.call('showResult', { path: { id } }));
    const lines = [
      `${found.upstream}/${found.tool}, called by ${describeWho(found.principal, found.person)}: ${found.state}`,
      ...found.findings.map(
        (one) => `${one.tier} ${one.id} (${one.owasp}) at ${one.where || '/'}: ${one.why}\n  ${one.evidence}`,
      ),
      '',
      isObject(found.result) ? describeToolResult(found.result as JsonObject) : 'What it said is gone.',
    ];
    return { value: toJson(found), text: lines.join('\n') };
  },
};
