import { expect, it } from 'vitest';
import { cli } from './cli-terminal.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { startGateway, type WrittenConfig } from './running-sallyport.ts';

const METADATA = 'http://169.254.169.254/latest';
const PAGE = 'note://anna/diagnosis-2026';
const UNKNOWN = 'file:///home/anna/testament.odt';

/** Lines of the audit after a call with a name that nobody declared and one that fails, and reads of a page. */
async function recordsOf(values: 'digest' | 'full'): Promise<string[]> {
  const upstream = await startHttpUpstream({
    behave({ id, method }, response) {
      const result =
        method === 'initialize'
          ? {
              protocolVersion: '2025-06-18',
              capabilities: { tools: {}, resources: {} },
              serverInfo: { name: 'up', version: '1' },
            }
          : method === 'resources/list'
            ? { resources: [{ uri: PAGE, name: 'page' }] }
            : method === 'resources/read'
              ? { contents: [{ uri: PAGE, text: 'A note.' }] }
              : undefined;
      if (result === undefined) return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      return true;
    },
  });
  const config = { audit: { values }, mcpServers: { up: { url: upstream.url } } } as WrittenConfig;
  const gateway = await startGateway(config, ['--no-call-log']);
  const client = await new PlainClient(gateway).initialize('2025-06-18');
  await client.call('up_echo', { 'leukemia of anna': METADATA });
  for (const uri of [PAGE, PAGE, UNKNOWN]) await client.request('resources/read', { uri });
  await gateway.process.stop();
  const { configFile, stateDir } = gateway.process;
  const { stdout } = await cli(['audit', 'export', '--config', configFile], { env: { SALLYPORT_STATE: stateDir } });
  const search = ['audit', 'search', '--json', '--tool', PAGE, '--config', configFile];
  const found = await cli(search, { env: { SALLYPORT_STATE: stateDir } });
  expect((found.json() as { calls: unknown[] }).calls).toHaveLength(2);
  return stdout.split('\n').filter((line) => /"method":"(?:tools\/call|resources\/read)"/.test(line));
}

it('digest: no name of an argument and no URI is in the record, and equal URIs are seen to be equal', async () => {
  const lines = await recordsOf('digest');
  expect(lines.length).toBeGreaterThanOrEqual(5);
  for (const text of ['leukemia', 'anna', '169.254']) expect(lines.join('\n')).not.toContain(text);
  expect(lines[0]).toMatch(/"kind":"denied".*"guard":"argument-safety","reason":"The argument \/\[#[\w-]{10}\] /);
  const uris = lines.flatMap((line) => /"tool":"(note:#[\w-]{43})"/.exec(line)?.[1] ?? []);
  expect(uris.length).toBeGreaterThanOrEqual(4);
  expect(new Set(uris).size).toBe(1);
});

it('full: both are there', async () => {
  const text = (await recordsOf('full')).join('\n');
  for (const written of ['leukemia of anna', `"tool":"${PAGE}"`, UNKNOWN]) expect(text).toContain(written);
});
