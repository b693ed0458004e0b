import { beforeAll, expect, it } from 'vitest';
import { listRun } from './docs-pages.ts';
import { DocsShell } from './docs-shell.ts';

const blocks = listRun('others');
let shell: DocsShell;

beforeAll(async () => {
  shell = await DocsShell.open();
});

it('finds commands', () => expect(blocks.length).toBeGreaterThan(10));

it.each(blocks.map((block) => [`${block.page}:${block.line}`, block] as const))('%s', async (_, block) => {
  expect(await shell.run([block])).toEqual([]);
});
