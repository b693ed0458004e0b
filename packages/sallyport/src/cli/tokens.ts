import { FaultError } from '../core/errors.ts';
import { type JsonObject, memberText } from '../core/json.ts';
import { allPages } from './all-pages.ts';
import { type ApiResult, withApi } from './api.ts';
import { type Command, type Input, isSet, type Output, textOption } from './command.ts';
import { findStateDir } from './config-file.ts';
import { addTokens, NO_TOKENS, openTokenCounter, type Tokens } from './count-tokens.ts';
import { listAsked } from './list-asked.ts';
import { toFailures } from './list-command.ts';
import { TOOLS } from './list-items.ts';
import { readTime } from './read-time.ts';
import { SESSION_FLAGS, splitTarget } from './resolve-target.ts';
import { readOrigin } from './running-gateway.ts';
import { toTable } from './to-table.ts';

/** What the share is of: the context of the models that most agents use. */
const CONTEXT = 200_000;
const MOST = 20;

export const tokens: Command = {
  name: 'tokens',
  summary: 'what tools cost in the context of a model: their definitions, and their results over time',
  words: [
    ['[target]', 'a URL, a file, a saved server or a command after --; left out: all servers of the configuration'],
  ],
  options: [
    { flags: '--bundle <name>', meaning: 'what callers of this bundle are shown by the running gateway' },
    { flags: '--since <time>', meaning: 'results from then on: a date, or 7d for so long ago (default 30d)' },
    { flags: '--most <number>', meaning: `tools in the table (default ${MOST}); --json has all` },
    ...SESSION_FLAGS,
  ],
  dashes: 'target',
  example: 'sallyport tokens -- npx -y @modelcontextprotocol/server-everything',
  async run(given) {
    const input = toBundle(given);
    const { target } = splitTarget(input);
    const most = readMost(textOption(input.options, 'most'));
    const since = readTime('--since', textOption(input.options, 'since') ?? '30d', Date.now());
    const listed = await listAsked(input, target);
    const count = await openTokenCounter();
    const uses = await readUses(input, since);
    const used = new Map(uses.map((use) => [keyOf(use.server, use.tool), use]));
    const tools = listed.flatMap(({ server, lists }) =>
      (lists.get(TOOLS.key) ?? []).map((definition) => {
        const name = memberText(definition, 'name') ?? '';
        return { server, name, definition: count(definition), use: used.get(keyOf(server, name)) };
      }),
    );
    tools.sort((one, other) => other.definition.o200k - one.definition.o200k);
    return toOutput({ tools, since, most, ...toFailures(listed) }, input);
  },
};

/** The endpoint of a bundle is a URL of the running gateway. */
function toBundle(input: Input): Input {
  const name = textOption(input.options, 'bundle');
  if (name === undefined) return input;
  if (input.dashed !== undefined || input.words.length > 0)
    throw new FaultError('usage', 'Give --bundle or a target, not both.');
  const stateDir = findStateDir(input.terminal);
  const origin = readOrigin(stateDir);
  if (origin === undefined)
    throw new FaultError(
      'unreachable',
      `No gateway runs on the state folder ${stateDir}. Start it with "sallyport up".`,
    );
  const url = `${origin}/bundles/${encodeURIComponent(name)}/mcp`;
  return { ...input, words: [url], options: { ...input.options, gateway: true } };
}

function readMost(text: string | undefined): number {
  const most = text === undefined ? MOST : Number(text);
  if (Number.isInteger(most) && most >= 0) return most;
  throw new FaultError('usage', '--most is a whole number.');
}

type Use = ApiResult<'listTokenUse'>['items'][number];

/** What the record of this state folder has; nothing for a server that never was behind this gateway. */
function readUses(input: Input, since: string | undefined): Promise<readonly Use[]> {
  return withApi(input, (api) =>
    allPages((page) => api.call('listTokenUse', { query: { ...page, since, by: 'tool' } })),
  );
}

function keyOf(server: string | null, tool: string | null): string {
  return `${server ?? ''}\0${tool ?? ''}`;
}

interface Costs extends ReturnType<typeof toFailures> {
  readonly tools: readonly {
    readonly server: string;
    readonly name: string;
    readonly definition: Tokens;
    readonly use: Use | undefined;
  }[];
  readonly since: string | undefined;
  readonly most: number;
}

function toOutput({ tools, since, most, failed, remarks, exit }: Costs, { terminal, options }: Input): Output {
  const servers = new Map<string, { tools: number; definition: Tokens; resultTokens: number; calls: number }>();
  for (const { server, definition, use } of tools) {
    const sum = servers.get(server) ?? { tools: 0, definition: NO_TOKENS, resultTokens: 0, calls: 0 };
    servers.set(server, {
      tools: sum.tools + 1,
      definition: addTokens(sum.definition, definition),
      resultTokens: sum.resultTokens + (use?.resultTokens ?? 0),
      calls: sum.calls + (use?.calls ?? 0),
    });
  }
  const all = [...servers.values()].map(({ definition }) => definition).reduce(addTokens, NO_TOKENS);
  const rows = tools
    .slice(0, most)
    .map(({ server, name, definition, use }) => [
      ...[server, name, String(definition.o200k)],
      ...(use === undefined ? ['-', '-', '-'] : [String(use.calls), String(perCall(use)), String(use.resultTokens)]),
    ]);
  const sums = [...servers].map(([server, { tools: count, definition, calls, resultTokens }]) => [
    ...[server, `${count} tools`, String(definition.o200k), String(calls), '', String(resultTokens)],
  ]);
  const screen = terminal.stdout.isTTY === true ? (terminal.stdout.columns ?? 0) : 0;
  const headings = ['server', 'tool', 'definition', 'calls', 'a result', 'all results'];
  return {
    value: {
      definitions: { tools: tools.length, ...all, share: Number((all.o200k / CONTEXT).toFixed(4)) },
      servers: [...servers].map(([server, sum]) => ({ server, ...sum, definition: { ...sum.definition } })),
      tools: tools.map(
        ({ server, name, definition, use }): JsonObject => ({
          ...{ server, name, definition: { ...definition } },
          ...{ calls: use?.calls ?? 0, requestTokens: use?.requestTokens ?? 0, resultTokens: use?.resultTokens ?? 0 },
        }),
      ),
      since: since ?? null,
      ...(failed.length === 0 ? {} : { failed }),
    },
    text:
      tools.length === 0
        ? ''
        : toTable(headings, [...rows, ...(servers.size > 1 || rows.length < tools.length ? sums : [])], screen),
    remarks: [
      ...remarks,
      ...(tools.length === 0
        ? ['No tools are listed.']
        : [
            `${tools.length} definitions: ${all.o200k} tokens in every request (o200k; about ${all.claude} for Claude, ${all.gemini} for Gemini), ${percent(all.o200k)} of ${CONTEXT}. Results are estimated, since ${(since ?? '').slice(0, 10)}.`,
          ]),
      ...(all.o200k > CONTEXT / 10 && !isSet(options, 'gateway')
        ? ['More than a tenth: let agents find tools instead, see docs/discovery.md.']
        : []),
    ],
    exit,
  };
}

function perCall({ calls, resultTokens }: Use): number {
  return calls === 0 ? 0 : Math.round(resultTokens / calls);
}

function percent(count: number): string {
  return `${((100 * count) / CONTEXT).toFixed(1)} %`;
}
