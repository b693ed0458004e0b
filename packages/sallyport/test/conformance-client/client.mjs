// The "client" that the official conformance suite starts: a whole Sallyport with the scenario's server as its one
// upstream, and in front of it a client of either era that does what the scenario expects a client to do. So what the
// suite judges is Sallyport's wire: era probing, handshake, headers, `_meta`, resumption, input rounds.
//
//   MCP_CONFORMANCE_SCENARIO=tools_call node client.mjs legacy|modern URL
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../dist/app/app.js';
import { loadSnapshot } from '../../dist/config/load-snapshot.js';
import { InProcessClient, toSample } from './in-process-client.mjs';
import { toAuth, withSignIns } from './sign-in.mjs';

const doneWithinMs = 18_000;
const upstream = 'conformance';
/** Legacy clients come through the shared endpoint, where names are rewritten; modern ones through the server's own. */
const shared = { endpoint: { kind: 'all' }, prefix: `${upstream}_` };
const own = { endpoint: { kind: 'server', name: upstream }, prefix: '' };
const doors = new Map([
  ['legacy', shared],
  ['modern', own],
]);

/** Scenarios in which using whatever is offered is not what the suite wants to see. */
const scripts = new Map([
  ['elicitation-sep1034-client-defaults', { run: expectQuestion }],
  ['sse-retry', { run: expectResumption }],
  // The server offers nothing, and only an endpoint of its own relays what nobody knows.
  ['request-metadata', { run: ({ client }) => client.request('conformance/hello'), door: own }],
  ['sep-2322-client-request-state', { run: interleaveCalls }],
  ['json-schema-2020-12-preservation', { run: echoSchema }],
  ['json-schema-ref-no-deref', { run: expectSetAside }],
  ['http-custom-headers', { run: makeContextCalls }],
  ['http-invalid-tool-headers', { run: expectInvalidTools }],
]);

/** Scenarios whose authorization server must not be used. */
const refusals = new Set([
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
  'auth/scope-retry-limit',
]);

/** Lists everything, calls every tool, reads every resource, gets every prompt. */
async function useEverything({ client, capabilities }) {
  if (capabilities.tools !== undefined) for (const tool of await client.list('tools')) await callTool(client, tool);
  if (capabilities.resources !== undefined)
    for (const { uri } of await client.list('resources')) await client.request('resources/read', { uri });
  if (capabilities.prompts !== undefined)
    for (const { name } of await client.list('prompts')) await client.request('prompts/get', { name });
}

async function expectQuestion(session) {
  await useEverything(session);
  expectAsked(session, 1);
}

async function expectResumption(session) {
  const { content } = await callTool(session.client, await find(session, 'test_reconnection'));
  expect(content[0].text === 'Reconnection test completed successfully', `the stream brought ${content[0].text}`);
}

/** While a tool waits for input, another one is called: nothing of the first may show in the second. */
async function interleaveCalls(session) {
  const { client } = session;
  const unrelated = await find(session, 'test_mrtr_unrelated');
  client.onQuestion = () => callTool(client, unrelated);
  for (const [name, text] of [
    ['test_mrtr_echo_state', 'echo-state-ok'],
    ['test_mrtr_no_state', 'no-state-ok'],
    ['test_mrtr_no_result_type', 'no-result-type-test-ok'],
  ]) {
    const { content } = await callTool(client, await find(session, name));
    expect(content[0].text === text, `${name} answered ${content[0].text}`);
  }
  expectAsked(session, 2);
}

async function echoSchema(session) {
  const { inputSchema } = await find(session, 'json_schema_2020_12_tool');
  await callTool(session.client, await find(session, 'json_schema_echo'), { schema: inputSchema });
}

/** A schema that needs another document cannot be checked without fetching it: the tool is set aside and said so. */
async function expectSetAside(session) {
  await session.client.list('tools');
  await expectRefused(session, 'lookup_user');
}

/** The calls the suite wants. One whose arguments its own schema does not allow is made again as a model would: without the nulls. */
async function makeContextCalls(session) {
  const { client } = session;
  for (const { name, arguments: given } of JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT).toolCalls) {
    const tool = await find(session, name);
    const result = await client.call(tool.name, given);
    if (result._meta?.['dev.sallyport/verdict']?.guard === 'argument-schema') {
      const kept = Object.entries(given).filter(([, value]) => value !== null);
      await callTool(client, tool, Object.fromEntries(kept));
    } else expect(result.isError !== true, `${name} failed: ${result.content?.[0]?.text}`);
  }
}

/** What is listed is called; what must not be listed is called by name all the same, as a client with an old list would. */
async function expectInvalidTools(session) {
  await useEverything(session);
  await find(session, 'valid_tool');
  for (const name of [
    'invalid_empty_header',
    'invalid_object_header',
    'invalid_array_header',
    'invalid_null_header',
    'invalid_duplicate_same_case',
    'invalid_duplicate_diff_case',
    'invalid_space_in_name',
    'invalid_colon_in_name',
    'invalid_non_ascii_name',
    'invalid_control_char_name',
  ])
    await expectRefused(session, name, { value: 'x', data: {}, items: [], nil: null, field1: 'x', field2: 'x' });
}

async function expectRefused({ app, client, door }, name, given = {}) {
  const refused = await client.call(door.prefix + name, given).then(
    (result) => result.isError === true,
    () => true,
  );
  expect(refused, `${name} could be called`);
  expect(
    app.catalog.reports().some(({ item }) => item === `tools/list: ${name}`),
    `${name} is not reported`,
  );
}

/** The tool as it is listed, found by the name the scenario gave it. */
async function find({ client, door }, name) {
  const tools = await client.list('tools');
  const tool = tools.find((one) => one.name === door.prefix + name);
  expect(tool !== undefined, `${name} is not listed, but ${tools.map((one) => one.name).join(', ')}`);
  return tool;
}

async function callTool(client, tool, given = toSample(tool.inputSchema)) {
  const result = await client.call(tool.name, given);
  expect(result.isError !== true, `${tool.name} failed: ${result.content?.[0]?.text}`);
  return result;
}

function expectAsked({ client }, times) {
  expect(client.asked.length === times, `${client.asked.length} questions came instead of ${times}`);
}

function expect(held, otherwise) {
  if (!held) throw new Error(otherwise);
}

async function main() {
  const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
  const [era, url] = process.argv.slice(2);
  const { run, door = doors.get(era) } = scripts.get(scenario) ?? { run: useEverything };
  if (scenario === undefined || door === undefined || url === undefined)
    throw new Error('usage: MCP_CONFORMANCE_SCENARIO=… client.mjs legacy|modern URL');
  const stateDir = await mkdtemp(join(tmpdir(), 'sallyport-conformance-client-'));
  const isAuth = scenario.startsWith('auth/');
  const auth = isAuth ? { auth: await toAuth(scenario, url) } : {};
  const text = JSON.stringify({ mcpServers: { [upstream]: { url, ...auth } } });
  const snapshot = loadSnapshot({ file: undefined, text, env: {}, stateDir, version: 1 });
  const once = () => runOnce({ snapshot, run, door, era });
  const place = { settings: snapshot.servers.get(upstream), stateDir };
  try {
    if (refusals.has(scenario)) await expectNoEntry(() => withSignIns(place, once));
    else await (isAuth ? withSignIns(place, once) : once());
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
}

async function runOnce({ snapshot, run, door, era }) {
  const app = await createApp({ snapshot, logLevel: 'debug', logCalls: true });
  try {
    app.warm();
    const client = new InProcessClient(app, door.endpoint, era);
    await run({ app, client, door, capabilities: await client.open() });
    await client.end();
    expect(app.upstreams.status(upstream)?.state !== 'unauthenticated', 'nobody was let in');
  } catch (error) {
    for (const report of app.catalog.reports()) console.error(JSON.stringify(report));
    // A list that could not be had is missing, not an error: why is in the status.
    const { state, lastError } = app.upstreams.status(upstream) ?? {};
    throw state === 'unauthenticated' ? new Error(lastError, { cause: error }) : error;
  } finally {
    await app.close();
  }
}

async function expectNoEntry(work) {
  const entered = await work().then(
    () => true,
    (error) => {
      console.error(error);
      return false;
    },
  );
  expect(!entered, 'the server let Sallyport in though it must not get that far');
}

// The suite ends only the shell it started us through, and later than this.
setTimeout(() => {
  console.error(`not done after ${doneWithinMs} ms`);
  process.exit(1);
}, doneWithinMs).unref();
try {
  await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
