import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from './cli-terminal.ts';
import { createKitEntries, examplesOf, KIT_SERVERS } from './kit-entries.ts';
import { PlainClient } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

/** What differs between two calls of the same tool. */
const VARIES = /"created_at":"[^"]*"|\\"created_at\\":\\"[^"\\]*\\"/g;

let gateway: RunningGateway;
const { entries, remove } = createKitEntries();

beforeAll(async () => {
  gateway = await startGateway({ mcpServers: entries });
});
afterAll(remove);

describe.each(KIT_SERVERS)('%s through the gateway, with default settings', (name) => {
  it('lists and answers as it does without it: nothing altered, held or asked', async () => {
    const direct = new Client({ name: 'direct', version: '1.0.0' });
    const entry = entries[name]!;
    await direct.connect(
      new StdioClientTransport({ ...entry, env: { ...process.env, ...entry.env } as never, stderr: 'ignore' }),
    );
    const client = await new PlainClient(gateway, gateway.servers[name]).initialize();
    const { tools } = await direct.listTools();
    expect((await client.request('tools/list', {})).result).toMatchObject({ tools });
    const examples = examplesOf(name);
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const { tool, input } of examples) {
      const plain = await direct.callTool({ name: tool, arguments: input });
      const { result, error } = await client.request('tools/call', { name: tool, arguments: input });
      // Arguments that break the schema are refused by the gateway, in its own words.
      if (plain.isError === true && /The arguments of \w+ do not fit/.test(JSON.stringify(plain.content))) {
        expect(error ?? result).toMatchObject(error === undefined ? { isError: true } : { code: -32602 });
        continue;
      }
      const show = ({ content, structuredContent, isError }: typeof plain) =>
        JSON.stringify({ content, structuredContent, isError }).replaceAll(VARIES, '');
      expect(show(result as never), tool).toBe(show(plain));
    }
    await direct.close();
  });

  it('is clean under the linter', async () => {
    const entry = entries[name]!;
    const env = Object.entries(entry.env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
    const { stdout, exit } = await cli([
      'lint',
      '--fail-on',
      'warning',
      '--call',
      ...env,
      '--',
      entry.command,
      ...entry.args,
    ]);
    expect({ exit, stdout: exit === 0 ? '' : stdout }).toEqual({ exit: 0, stdout: '' });
  });
});
