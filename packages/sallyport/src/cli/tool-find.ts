import { type FoundTool, findTools } from '../catalog/search/find-tools.ts';
import { SearchIndex } from '../catalog/search/search-index.ts';
import { toToolFace } from '../catalog/shadow/face.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { ToolFace } from '../core/tool-face.ts';
import { type Command, type Input, isSet, listOption, type Output, textOption } from './command.ts';
import { listAsked } from './list-asked.ts';
import { type ServerLists, toFailures } from './list-command.ts';
import { TOOLS } from './list-items.ts';
import { SESSION_FLAGS } from './resolve-target.ts';
import { toTable } from './to-table.ts';

const MOST = 5;
const MAX_MOST = 100;
const MAX_LINE = 140;

export const toolFind: Command = {
  name: 'tool find',
  summary: 'find the tools that fit a request best',
  words: [['[words...]', 'what the tool is for, in English or Chinese']],
  options: [
    { flags: '--step <request>', meaning: 'one step of a task, which has its turn; may be repeated', many: true },
    { flags: '--from <target>', meaning: 'a URL, a file or a server; left out: all servers of the configuration' },
    { flags: '--read-only', meaning: 'only tools that say that they change nothing' },
    { flags: '--most <number>', meaning: `how many tools (default ${MOST})` },
    ...SESSION_FLAGS,
  ],
  dashes: 'command',
  example: 'sallyport tool find add two numbers -- npx -y @modelcontextprotocol/server-everything',
  async run(input) {
    const { options, words } = input;
    const queries = [words.join(' '), ...listOption(options, 'step')].filter((query) => query.trim() !== '');
    if (queries.length === 0)
      throw new FaultError('usage', 'Say what the tool is for, e.g. sallyport tool find send mail.');
    const most = readMost(textOption(options, 'most'));
    const listed = await listAsked(input, textOption(options, 'from'));
    const index = new SearchIndex();
    for (const { server, lists } of listed)
      index.replace(
        server,
        (lists.get(TOOLS.key) ?? []).map((definition) => toToolFace(server, definition)),
      );
    return toOutput(findTools(index, queries, { most, isReadOnly: isSet(options, 'readOnly') }), listed, input);
  },
};

function readMost(text: string | undefined): number {
  const most = text === undefined ? MOST : Number(text);
  if (Number.isInteger(most) && most >= 1 && most <= MAX_MOST) return most;
  throw new FaultError('usage', `--most is a whole number from 1 to ${MAX_MOST}.`);
}

function toOutput(found: readonly FoundTool[], listed: readonly ServerLists[], { terminal }: Input): Output {
  const { failed, remarks, exit } = toFailures(listed);
  const tools = found.map(
    ({ tool, score, query, twins }): JsonObject => ({
      server: tool.server,
      name: tool.name,
      description: tool.description,
      score: Number(score.toFixed(3)),
      query,
      twins: twins.map(({ server, name }) => ({ server, name })),
    }),
  );
  const rows = found.map(({ tool, score, twins }) => [
    tool.server,
    tool.name,
    score.toFixed(2),
    `${toLineOf(tool)}${twins.length === 0 ? '' : ` (also ${twins.map(toName).join(', ')})`}`,
  ]);
  const screen = terminal.stdout.isTTY === true ? (terminal.stdout.columns ?? 0) : 0;
  return {
    value: { tools, ...(failed.length === 0 ? {} : { failed }) },
    text: rows.length === 0 ? '' : toTable(['server', 'tool', 'score', 'description'], rows, screen, { lines: 2 }),
    remarks: [...remarks, ...(rows.length === 0 ? ['No tool fits. "sallyport tool list" shows all.'] : [])],
    exit,
  };
}

function toLineOf({ description, title }: ToolFace): string {
  const [line = ''] = (description || title).trim().split('\n');
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)}…`;
}

function toName({ server, name }: ToolFace): string {
  return `${server} ${name}`;
}
