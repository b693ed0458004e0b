import { toParamHeaders } from '../call/param-headers.ts';
import { readParamHeaders } from '../catalog/param-headers.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { type Command, type Input, type Output, textOption } from './command.ts';
import { describeToolResult } from './describe-result.ts';
import { findTool } from './find-tool.ts';
import { TOOL_ERROR, toRefusal } from './list-items.ts';
import { type Session, withSession } from './open-session.ts';
import { parseObject, readStdin } from './read-stdin.ts';
import { SESSION_FLAGS, splitTarget, TARGET_WORD } from './resolve-target.ts';
import { assertComplete, toArguments } from './to-arguments.ts';

export const toolCall: Command = {
  name: 'tool call',
  summary: 'call a tool',
  words: [
    TARGET_WORD,
    ['<tool>', 'its name at the server'],
    ['[arguments...]', 'key=value, read as the tool’s schema wants it; key:=json; or - for a JSON object on stdin'],
  ],
  options: [
    ...SESSION_FLAGS,
    { flags: '--args <json>', meaning: 'all arguments as one JSON object' },
    { flags: '--progress', meaning: 'show progress on stderr' },
  ],
  dashes: 'target',
  example: 'sallyport tool call https://example.com/mcp get_weather city=Paris days=3',
  async run(input) {
    const {
      target,
      words: [name = '', ...words],
    } = splitTarget(input, 1);
    const given = await readArguments(words, input);
    return withSession(input, target, (session) => callTool(session, name, { words, given }));
  },
};

/** The arguments where they are given whole; `undefined`: they are in the words. */
async function readArguments(words: readonly string[], input: Input): Promise<JsonObject | undefined> {
  const text = textOption(input.options, 'args');
  const fromStdin = words.length === 1 && words[0] === '-';
  if (text !== undefined && words.length > 0)
    throw new FaultError('usage', 'Give the arguments as words or with --args, not both.');
  if (text !== undefined) return parseObject(text, '--args');
  return fromStdin ? parseObject(await readStdin(input.terminal, input.signal), 'stdin') : undefined;
}

async function callTool(
  session: Session,
  name: string,
  { words, given }: { readonly words: readonly string[]; readonly given: JsonObject | undefined },
): Promise<Output> {
  const found = await findTool(session, name);
  if (found.kind === 'refused') return toRefusal(found.error);
  const declared = member(found.tool, 'inputSchema');
  const inputSchema = isObject(declared) ? declared : {};
  const args = given ?? toArguments(words, inputSchema);
  assertComplete(args, inputSchema);
  const headers = readParamHeaders(inputSchema);
  const paramHeaders = typeof headers === 'string' ? undefined : toParamHeaders(headers, args);
  const outcome = await session.request('tools/call', { name, arguments: args }, { target: name, paramHeaders });
  if (outcome.kind === 'error') return toRefusal(outcome.error);
  const isError = member(outcome.result, 'isError') === true;
  return {
    value: outcome.result,
    text: describeToolResult(outcome.result),
    remarks: isError ? ['The tool reports an error.'] : [],
    exit: isError ? TOOL_ERROR : 0,
  };
}
