import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { GrantScope } from '../guard/approve/approval.ts';
import { withApi } from './api.ts';
import { toJson } from './api-json.ts';
import { readUnattended, UNATTENDED_FLAG } from './attended.ts';
import { type Command, type Options, textOption } from './command.ts';

const SCOPES: readonly GrantScope[] = ['once', 'run', 'always'];

export const approvalAllow: Command = {
  name: 'approval allow',
  summary: 'allow a call that waits for a person',
  words: [['<id>', 'as sallyport approval list shows it']],
  options: [
    { flags: '--for <scope>', meaning: 'once (default), run: until the conversation ends, always: for 90 days' },
    {
      flags: '--pattern <json>',
      meaning:
        'needs --for run or --for always: a value for every argument, texts with * and **; or any: whatever the arguments',
    },
    { flags: '--arguments <json>', meaning: 'run the call with these arguments instead, once' },
    UNATTENDED_FLAG,
  ],
  example: 'sallyport approval allow ap_0123456789abcdef --for run',
  async run(input) {
    const [id = ''] = input.words;
    const body = { ...readTerms(input.options), unattended: readUnattended(input) };
    const after = await withApi(input, (api) => api.call('allowApproval', { path: { id }, body }));
    const given = after.answers.at(-1);
    const isNarrowed = body.scope === 'run' && given?.kind === 'allow' && given.scope === 'once';
    const text =
      after.state === 'allowed'
        ? `Allowed ${id}${isNarrowed ? ' for one call, since its client names no run' : ''}. A call that waits goes on; any other has to be made again.`
        : `Noted for ${id}. One more person must allow it.`;
    return { value: toJson(after), text };
  },
};

function readTerms(options: Options) {
  const named = textOption(options, 'for');
  const scope = SCOPES.find((one) => one === named);
  if (named !== undefined && scope === undefined)
    throw new FaultError('usage', `--for is one of ${SCOPES.join(', ')}.`);
  const written = textOption(options, 'pattern');
  const pattern = written === 'any' ? written : readObject('--pattern', written);
  if (pattern !== undefined && (scope === undefined || scope === 'once'))
    throw new FaultError(
      'usage',
      '--pattern needs --for run (until the conversation ends) or --for always (90 days): a pattern allows more calls than this one.',
    );
  return {
    scope,
    pattern,
    arguments: readObject('--arguments', textOption(options, 'arguments')),
  };
}

function readObject(flag: string, text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // What is no JSON gets the same message as JSON that is no object.
  }
  throw new FaultError('usage', `${flag} is a JSON object, e.g. '{"path":"/reports/*"}'.`);
}
