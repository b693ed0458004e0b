import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { toBlocks } from './docs-pages.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

// The scripts of docs/scripts.md run as they stand there, with its servers, and give what stands below them.

const require = createRequire(import.meta.url);
const blocks = toBlocks('docs/scripts.md');
const examples = blocks.flatMap(({ language, line, text }, at) =>
  language === 'js' ? [[`docs/scripts.md:${line}`, text, blocks[at + 1]?.text ?? ''] as const] : [],
);
const FILES = { north: 'n1,open,10\nn2,paid,5\n', south: 's1,paid,7\ns2,paid,1\n', west: 'w1,open,20\nw2,open,40\n' };
const folder = newTestFolder();
let client: PlainClient;

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, `${name}.csv`), text);
  const config = JSON.parse(blocks[0]?.text ?? '') as { mcpServers: Record<string, Record<string, unknown>> };
  for (const entry of Object.values(config.mcpServers)) {
    const [, program, ...rest] = entry['args'] as string[];
    const args = rest.map((one) => one.replace('/home/you/orders', folder));
    entry['command'] = process.execPath;
    entry['args'] = [require.resolve(`${program}/dist/index.js`), ...args];
    entry['env'] = { MEMORY_FILE_PATH: join(folder, 'memory.json') };
  }
  client = await new PlainClient(await startGateway(config)).initialize();
  const names = async () => JSON.stringify((await client.request('tools/list')).result);
  await waitFor(async () => expect(await names()).toMatch(/files_read_text_file.*notes_search_nodes.*run_script/));
});

it('finds them', () => expect(examples).toHaveLength(3));

it.each(examples)('%s', async (_, script, expected) => {
  const answer = await client.call('run_script', { script: script.replaceAll('/home/you/orders', folder) });
  expect(JSON.parse(textOf(answer) ?? '')).toEqual(JSON.parse(expected));
});
