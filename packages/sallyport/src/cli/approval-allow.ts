import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { type GrantScope, toApprovalJson } from '../guard/approve/approval.ts';
import type { Pattern } from '../guard/approve/pattern.ts';
import { type Command, type Options, textOption } from './command.ts';
import { whoAnswers, withApprovals } from './with-approvals.ts';

const SCOPES: readonly GrantScope[] = ['once', 'run', 'always'];

export const approvalAllow: Command = {
  name: 'approval allow',
  summary: 'allow a call that waits for a person',
  words: [['<id>', 'as sallyport approval list shows it']],
  options: [
    { flags: '--for <scope>', meaning: 'once (default), run: until the conversation ends, always: for 90 days' },
    {
      flags: '--pattern <json>',
      meaning: 'with run or always: a value for every argument, texts with * and **; or any: whatever the arguments',
    },
    { flags: '--arguments <json>', meaning: 'run the call with these arguments instead, once' },
  ],
  example: 'sallyport approval allow ap_0123456789abcdef --for run',
  run(input) {
    const [id = ''] = input.words;
    const answer = {
      kind: 'allow',
      by: whoAnswers(),
      via: 'command',
      at: Date.now(),
      ...readTerms(input.options),
    } as const;
    return withApprovals(input, async ({ approvals }) => {
      const after = await approvals.answer(id, answer);
      const text =
        after.state === 'allowed'
          ? `Allowed ${id}. A call that waits goes on; any other has to be made again.`
          : `Noted for ${id}. One more person must allow it.`;
      return { value: toApprovalJson(after), text };
    });
  },
};

function readTerms(options: Options) {
  const changed = textOption(options, 'arguments');
  const pattern = readPattern(textOption(options, 'pattern'));
  const named = textOption(options, 'for') ?? (pattern === undefined ? 'once' : 'always');
  const scope = SCOPES.find((one) => one === named);
  if (scope === undefined) throw new FaultError('usage', `--for is one of ${SCOPES.join(', ')}.`);
  return {
    scope,
    ...(pattern === undefined ? {} : { pattern }),
    ...(changed === undefined ? {} : { arguments: readObject('--arguments', changed) }),
  };
}

function readPattern(text: string | undefined): Pattern | undefined {
  return text === undefined || text === 'any' ? text : readObject('--pattern', text);
}

function readObject(flag: string, text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // What is no JSON gets the same message as JSON that is no object.
  }
  throw new FaultError('usage', `${flag} is a JSON object, e.g. '{"path":"/reports/*"}'.`);
}
