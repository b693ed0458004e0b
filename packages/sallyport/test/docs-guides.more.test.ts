import { beforeAll, expect, it } from 'vitest';
import { listRun } from './docs-pages.ts';
import { DocsShell } from './docs-shell.ts';

const blocks = listRun('guides');
const guides = [...new Set(blocks.map(({ page }) => page))];
let shell: DocsShell;

beforeAll(async () => {
  shell = await DocsShell.open();
});

it('finds guides', () => expect(guides.length).toBeGreaterThan(1));

// A guide is one story: what one block starts and sets, the next ones use.
it.each(guides)(
  '%s from its beginning to its end',
  // Begun a second time it would find what it left behind.
  { timeout: 600_000, retry: 0 },
  async (page) => {
    expect(await shell.run(blocks.filter((block) => block.page === page))).toEqual([]);
  },
);
