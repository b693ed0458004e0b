import type { Call } from './call.ts';
import { codes, type Fields, RpcError, readText, toFields } from './messages.ts';

const choices: ReadonlyMap<string, readonly string[]> = new Map([
  ['prompt test_prompt_with_arguments arg1', ['paris', 'park', 'party', 'test-one', 'test-two']],
  ['prompt test_prompt_with_arguments arg2', ['hello', 'help', 'world']],
  ['resource test://template/{id}/data id', ['1', '12', '123', '2', '23']],
]);

/** completion/complete for prompt arguments and resource template variables, by prefix. */
export function complete(call: Call): Fields {
  const ref = toFields(call.params.ref);
  const argument = toFields(call.params.argument);
  const target = ref.type === 'ref/prompt' ? `prompt ${readText(ref, 'name')}` : `resource ${readText(ref, 'uri')}`;
  const known = choices.get(`${target} ${readText(argument, 'name')}`);
  if (known === undefined) throw new RpcError(codes.invalidParams, `nothing to complete for ${target}`);
  const chosen = toFields(toFields(call.params.context).arguments).arg1;
  const found = known.filter((value) => value.startsWith(readText(argument, 'value')));
  // arg2 depends on arg1, so that a relay which drops `context` shows.
  const values = typeof chosen === 'string' ? found.map((value) => `${chosen}-${value}`) : found;
  return { completion: { values, total: values.length, hasMore: false } };
}
