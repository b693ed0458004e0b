import { beforeAll, expect, it } from 'vitest';
import { cli } from './cli-terminal.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, SallyportProcess, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const schema = { type: 'object' };
const TOOLS: readonly object[] = [
  { name: 'read', description: 'Reads messages.', inputSchema: schema },
  { name: 'send', description: 'Sends a message.', inputSchema: schema },
  { name: 'audit', description: 'Shows who wrote what.', inputSchema: schema },
  {
    name: 'broken',
    description: 'Has a schema that validates nothing.',
    inputSchema: { ...schema, properties: { a: { type: 12 } } },
  },
  { name: 'odd', description: 'Has no schema.', inputSchema: 'none' },
];

let lark: { readonly url: string; tools: readonly object[] };
let gateway: RunningGateway;
let outsider: RunningGateway;

/** A server whose tools a test chooses. */
async function startLark() {
  const state = { url: '', tools: TOOLS };
  const { url } = await startHttpUpstream({
    behave(message, response) {
      if (message.method !== 'tools/list') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools: state.tools } }));
      return true;
    },
  });
  return Object.assign(state, { url });
}

const toConfig = (url: string) => ({
  pins: { mode: 'team' },
  mcpServers: { lark: { url, listTtlMs: 1000, allow: { tools: ['*', { match: 'audit', groups: ['auditors'] }] } } },
});

function operator({ process }: RunningGateway, ...args: string[]) {
  const env = { SALLYPORT_STATE: process.stateDir, SALLYPORT_CONFIG: process.configFile };
  return cli(args, { env, cwd: process.folder });
}

async function told(holder: RunningGateway, url = holder.url): Promise<readonly unknown[]> {
  const client = new PlainClient(holder, url);
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  const legacy = await client.request('initialize', params);
  const modern = await client.requestModern('server/discover');
  return [legacy.result?.['instructions'], modern.result?.['instructions']];
}

beforeAll(async () => {
  lark = await startLark();
  const config = toConfig(lark.url);
  config.mcpServers.lark.allow.tools = ['read', 'send', 'broken', 'odd', { match: 'audit', groups: ['auditors'] }];
  gateway = await startGateway(config as Record<string, unknown>);
  outsider = await keyHolder(gateway, 'outsider', []);
});

it('a model is told how many tools wait and for whom, in every era; of others it hears nothing', async () => {
  const waits =
    "3 tools of lark wait for the operator's approval and cannot be used until a person has approved them.\n1 tool of lark cannot be used because its definition is invalid.";
  // The first introduction does not wait for a server.
  await waitFor(async () => expect(await told(outsider)).toEqual([waits, waits]));
  expect(await told(outsider, `${gateway.origin}/servers/lark/mcp`)).toEqual([waits, waits]);
  const auditor = await keyHolder(gateway, 'auditor', ['--group', 'auditors']);
  for (const text of await told(auditor)) expect(text).toMatch(/^4 tools of lark wait/);
});

it('a call is answered with the reason, and what the caller may not see stays unknown', async () => {
  const client = await new PlainClient(outsider).initialize();
  const refused = await client.call('lark_send');
  expect(refused.result).toMatchObject({ isError: true });
  expect(textOf(refused)).toBe(
    "The tool lark_send waits for the operator's approval because nobody has approved it yet. A person has to approve it (server lark, tool send). Use another tool, or tell the user.",
  );
  expect(textOf(await client.call('lark_odd'))).toBe(
    'The tool lark_odd is disabled: inputSchema is not an object. Its server has to be repaired by a person (server lark, tool odd). Use another tool, or tell the user.',
  );
  for (const name of ['lark_audit', 'lark_nothing'])
    expect((await client.call(name)).error?.message).toBe(`Unknown tool: ${name}. tools/list has the names.`);
});

it('an operator sees it in the list, in a server, and from the doctor', async () => {
  const line = 'lark: 5 tools, 4 quarantined, 1 malformed; run `sallyport pin diff lark`';
  const list = await operator(gateway, 'server', 'list');
  expect(list.stdout).toContain('5 tools, 4 quarantined, 1 malformed');
  expect(list.stderr).toContain(line);
  const shown = await operator(gateway, 'server', 'show', 'lark', '--json');
  expect(shown.json()).toMatchObject({
    status: { definitions: { tools: 5, quarantined: 4, rejected: 0, malformed: 1 } },
  });
  expect((await operator(gateway, 'server', 'show', 'lark')).stderr).toContain(line);
  const { targets } = (await operator(gateway, 'doctor', '--json')).json() as {
    targets: readonly { name: string; steps: readonly { step: string }[] }[];
  };
  const steps = targets.find(({ name }) => name === 'lark')?.steps;
  expect(steps?.at(-1)).toMatchObject({
    step: 'approval',
    outcome: 'warning',
    detail: '5 tools, 4 quarantined, 1 malformed; run `sallyport pin diff lark`',
  });
});

it('up says it as soon as the servers have been met, and again beside what is known at the next start', async () => {
  const process = new SallyportProcess(toConfig(lark.url) as Record<string, unknown>, ['up', '--port', '0']);
  await process.until(() => (process.stdout.includes('lark: 5 tools, 4 quarantined') ? true : undefined));
  expect(process.stdout).toContain('run `sallyport pin diff lark`');
});

it('follows what a person approves and what the server mends', async () => {
  const { digest } = (await operator(gateway, 'pin', 'diff', 'lark', 'send', '--json')).json() as { digest: string };
  expect(await operator(gateway, 'pin', 'approve', 'lark', 'send', '--digest', digest)).toMatchObject({ exit: 0 });
  lark.tools = TOOLS.filter((tool) => !('name' in tool && tool.name === 'odd'));
  await waitFor(async () => {
    const [legacy] = await told(outsider);
    expect(legacy).toBe(
      "2 tools of lark wait for the operator's approval and cannot be used until a person has approved them.",
    );
  });
});
