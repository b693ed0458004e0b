import { SERVER_NAME } from '../config/file-schema.ts';
import { findFault, toServerName } from '../config/read-client-file.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { addServer } from './add-server.ts';
import { type Command, type Input, listOption, textOption } from './command.ts';
import { openConfig } from './edit-config.ts';
import { maskSecrets } from './mask-secrets.ts';
import { parseEnvPairs, parseHeaderPairs } from './parse-pair.ts';

export const serverAdd: Command = {
  name: 'server add',
  summary: 'add a server to the configuration',
  words: [
    ['<name>', 'what to call it'],
    ['[url]', 'its address; or a command after --'],
  ],
  options: [
    { flags: '--env <NAME=value>', meaning: 'an environment variable of the command; may be repeated', many: true },
    { flags: '--cwd <folder>', meaning: 'the working directory of the command' },
    { flags: '--header <name: value>', meaning: 'an HTTP header for the url; may be repeated', many: true },
    { flags: '--type <type>', meaning: 'how the url is reached: http or sse; left out: found out' },
  ],
  dashes: 'command',
  example: `sallyport server add github https://api.githubcopilot.com/mcp/ --header 'Authorization: Bearer \${GITHUB_TOKEN}'`,
  async run(input) {
    const [name = '', url] = input.words;
    if (!SERVER_NAME.test(name)) {
      throw new FaultError(
        'usage',
        `A server name is 1 to 64 of the characters A-Z a-z 0-9 _ . -; how about "${toServerName(name)}"?`,
      );
    }
    const entry = toEntry(url, input);
    const fault = findFault(name, entry);
    if (fault !== undefined) throw new FaultError('usage', `That is no server that could be used: ${fault}.`);
    const open = openConfig(input);
    addServer(open, name, entry);
    const { file } = open;
    return {
      value: { name, file, server: maskSecrets(entry) },
      text: `Added ${name} to ${file}`,
      remarks: [`Try it: sallyport tool list ${name}`],
    };
  },
};

function toEntry(url: string | undefined, { dashed, options }: Input): JsonObject {
  const env = parseEnvPairs(listOption(options, 'env'));
  const headers = parseHeaderPairs(listOption(options, 'header'));
  const cwd = textOption(options, 'cwd');
  const type = textOption(options, 'type');
  const [command, ...args] = dashed ?? [];
  if ((url === undefined) === (command === undefined)) {
    throw new FaultError(
      'usage',
      'Give either a url or a command after --, e.g. "sallyport server add files -- npx -y @modelcontextprotocol/server-filesystem .".',
    );
  }
  if (url !== undefined) {
    if (Object.keys(env).length > 0 || cwd !== undefined)
      throw new FaultError('usage', '--env and --cwd are for a command, not for a url.');
    return { ...(type === undefined ? {} : { type }), url, ...(Object.keys(headers).length === 0 ? {} : { headers }) };
  }
  if (Object.keys(headers).length > 0) throw new FaultError('usage', '--header is for a url, not for a command.');
  return {
    ...(type === undefined ? {} : { type }),
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}
