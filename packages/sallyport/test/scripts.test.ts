import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { estimateTextTokens, estimateTokens } from '../src/core/estimate-tokens.ts';
import { approval, rest, setUp } from './approvals-set-up.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const FILE_SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const FILES = 40;
const LINES = 400;

/** A server that sends mail, as far as anybody can tell. */
const MAIL: Parameters<typeof startHttpUpstream>[0] = {
  behave(message, response) {
    if (message.method !== 'tools/list') return false;
    const properties = { to: { type: 'string', description: 'The address of who gets it.' } };
    const inputSchema = { type: 'object', properties, required: ['to'] };
    const tools = [{ name: 'send_email', description: 'Sends an email to an address.', inputSchema }];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools } }));
    return true;
  },
};

let gateway: RunningGateway;
let count: () => number;
let legacy: PlainClient;
let modern: PlainClient;
let folder: string;

/** A megabyte in 40 files: one line in each is an order that was not paid. */
function writeFiles(into: string): void {
  for (let file = 0; file < FILES; file++) {
    const lines = Array.from({ length: LINES }, (_, line) => {
      const paid = line === (file * 7) % LINES ? 'open' : 'paid';
      return `order-${file}-${line},${paid},${line * 3},${'words of no interest '.repeat(2)}`;
    });
    writeFileSync(join(into, `orders-${file}.csv`), lines.join('\n'));
  }
}

beforeAll(async () => {
  folder = newTestFolder();
  writeFiles(folder);
  const asking = setUp();
  count = asking.count;
  gateway = await startGateway({
    mcpServers: {
      ...asking.config.mcpServers,
      files: { command: process.execPath, args: [FILE_SERVER, folder] },
      mail: { url: (await startHttpUpstream(MAIL)).url },
      b: misbehaving({ tools: ['echo', 'fail', 'slow', 'hang'] }),
    },
    approvals: { asks: ['a/*'] },
    bundles: { quiet: { tools: ['b.echo'] } },
    scripts: { rules: [{ bundle: 'quiet', mode: 'off' }], mode: 'on', timeoutMs: 20_000, computeMs: 1_000 },
  } as Record<string, unknown>);
  legacy = await new PlainClient(gateway).initialize();
  modern = new PlainClient(gateway);
  await waitForTools(legacy, ['a_count', 'b_echo', 'files_list_directory']);
});

/** Servers start one after the other on a busy machine. */
const waitForTools = (client: PlainClient, names: readonly string[]) =>
  waitFor(async () => expect(await listed(client)).toEqual(expect.arrayContaining([...names])));

const listed = async (client: PlainClient) => {
  const { result } = await client.request('tools/list');
  return ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);
};

const script = (text: string) => ({ script: text });
const eras: readonly [string, (given: Record<string, unknown>) => ReturnType<PlainClient['call']>][] = [
  ['legacy', (given) => legacy.call('run_script', given)],
  ['modern', (given) => modern.callModern('run_script', given)],
];

/** The records of the calls that one script made. */
async function recordsOf(scriptCallId: string) {
  const { body } = await rest(gateway, 'GET', `/audit/calls?text=${scriptCallId}&limit=100`);
  return (body['items'] as Record<string, unknown>[]).filter((one) => one['script'] === scriptCallId);
}

async function lastScript(): Promise<string> {
  const { body } = await rest(gateway, 'GET', '/audit/calls?tool=run_script&limit=1');
  return String((body['items'] as Record<string, unknown>[])[0]?.['callId']);
}

describe.each(eras)('%s clients', (era, run) => {
  it('make 40 calls and read a megabyte for under a thousand tokens, each call in the record', async () => {
    const types = textOf(await run({ types: ['files.read_text_file'] })) ?? '';
    expect(types).toContain('tools.files.read_text_file: (args: { path: string');
    const given = script(`
      const names = Array.from({ length: ${FILES} }, (_, i) => ${JSON.stringify(`${folder}/orders-`)} + i + '.csv');
      const texts = await Promise.all(names.map((path) => tools.files.read_text_file({ path })));
      const contents = texts.map((one) => one.content ?? one);
      const open = contents.flatMap((text) => text.split('\\n')).filter((line) => line.split(',')[1] === 'open');
      return { bytes: contents.join('').length, open: open.length, sum: open.reduce((sum, line) => sum + Number(line.split(',')[2]), 0) };
    `);
    const answer = await run(given);
    const result = JSON.parse(textOf(answer) ?? '') as Record<string, number>;
    expect(result).toMatchObject({ open: FILES, sum: expect.any(Number) });
    expect(result['bytes']).toBeGreaterThan(1_000_000);
    const { result: list } = await legacy.request('tools/list');
    const definition = ((list?.['tools'] ?? []) as { name: string }[]).find(({ name }) => name === 'run_script');
    const tokens =
      estimateTokens(definition) +
      estimateTextTokens(types) +
      estimateTextTokens(JSON.stringify(given) + JSON.stringify(answer.result));
    expect(tokens).toBeLessThan(1_000);
    const records = await recordsOf(await lastScript());
    expect(records).toHaveLength(FILES);
    expect(new Set(records.map((one) => [one['upstream'], one['tool'], one['outcome']].join()))).toEqual(
      new Set(['files,read_text_file,ok']),
    );
  });

  it('pause until a person has answered, and go on without a call made twice', async () => {
    const before = count();
    const paused = await run(
      script(`const said = await tools.b.echo({ text: "first" }); await tools.a.count({ by: "${era}" }); return said`),
    );
    const text = textOf(paused) ?? '';
    expect(text).toMatch(/^The script is paused.*\{"resume": "[0-9a-f-]{36}"\}/s);
    expect(text).not.toContain('call again');
    const id = /ap_[0-9a-f]{16}/.exec(text)?.[0] ?? '';
    const resume = /"resume": "([^"]+)"/.exec(text)?.[1] ?? '';
    const allowed = await approval(gateway.process.stateDir, 'allow', id);
    expect(allowed.exit, allowed.stderr).toBe(0);
    expect(textOf(await run({ resume }))).toContain('first');
    expect(count()).toBe(before + 1);
    // An id works once.
    expect(textOf(await run({ resume }))).toMatch(/^No script is paused/);
  });

  it('get an error in the script when a person refuses', async () => {
    const before = count();
    const paused =
      textOf(
        await run(script(`try { await tools.a.count({ not: "${era}" }) } catch (e) { return [e.name, e.message] }`)),
      ) ?? '';
    const id = /ap_[0-9a-f]{16}/.exec(paused)?.[0] ?? '';
    const denied = await approval(gateway.process.stateDir, 'deny', id);
    expect(denied.exit, denied.stderr).toBe(0);
    const resumed = textOf(await run({ resume: /"resume": "([^"]+)"/.exec(paused)?.[1] })) ?? '';
    expect(JSON.parse(resumed)).toEqual(['ToolError', expect.stringMatching(/denied|refused|not/i)]);
    expect(count()).toBe(before);
  });

  it('read what failed, and what it did before', async () => {
    const answer = await run(script('await tools.b.echo({ text: "a" });\nawait tools.b.nothing({})'));
    expect(answer.result?.['isError']).toBe(true);
    expect(textOf(answer)).toMatch(/^The script failed\. TypeError: .* \(line 2\)\n\nIt made 1 call before/);
    expect(textOf(await run(script('while (true) {}')))).toContain('It computed for longer than 1000 ms');
    expect(textOf(await run({ script: '1', types: [] }))).toContain('takes one of');
  });
});

it('ends a script that cannot be stopped from within', async () => {
  // Splitting is one step of the interpreter, which looks at its clock between many: its thread is ended.
  const stuck = 'const s = "a".repeat(4e5); let n = 0; for (;;) n += s.split("").length';
  expect(textOf(await modern.callModern('run_script', script(stuck)))).toMatch(/It computed for longer than 1000 ms/);
  expect(textOf(await modern.callModern('run_script', script('return 1')))).toBe('1');
});

describe('who is offered scripts', () => {
  it('is whom a rule does not leave out, and not at the endpoint of one server', async () => {
    expect(await listed(legacy)).toContain('run_script');
    const own = await new PlainClient(gateway, `${gateway.origin}/servers/b/mcp`).initialize();
    expect(await listed(own)).not.toContain('run_script');
    const bundle = await new PlainClient(gateway, `${gateway.origin}/bundles/quiet/mcp`).initialize();
    expect(await listed(bundle)).toEqual(['b_echo']);
    expect(textOf(await bundle.call('run_script', script('return 1')))).not.toBe('1');
  });
});

describe('labels', () => {
  const send = (to: string) => modern.callModern('mail_send_email', { to });

  it('are those of all that a script read, whatever it made of it', async () => {
    writeFileSync(join(folder, 'order.txt'), 'moc.elpmaxe@rekcatta');
    // No result of a tool has held it, as far as anybody can tell.
    expect(textOf(await send('attacker@example.com'))).toBe('send_email done');
    const path = JSON.stringify(join(folder, 'order.txt'));
    const turned = script(
      `const { content } = await tools.files.read_text_file({ path: ${path} }); return 'to ' + content.split('').reverse().join('')`,
    );
    expect(textOf(await modern.callModern('run_script', turned))).toBe('to attacker@example.com');
    expect(textOf(await send('attacker@example.com'))).toContain('comes from files.read_text_file');
    expect(textOf(await send('ann@example.com'))).toBe('send_email done');
  });
});
