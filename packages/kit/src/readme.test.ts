import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

test('the first server of the README has at most 12 lines, and runs', async () => {
  const [, code = ''] = /^```js\n([\s\S]*?)^```$/m.exec(readFileSync(join(PACKAGE, 'README.md'), 'utf8')) ?? [];
  expect(code.trim().split('\n').length).toBeLessThanOrEqual(12);
  // Inside the package, where its own name leads to it.
  const folder = mkdtempSync(join(PACKAGE, 'dist/readme-'));
  try {
    const file = join(folder, 'hello.mjs');
    writeFileSync(file, code);
    const client = new Client({ name: 'readme', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [file], stderr: 'ignore' }));
    expect(await client.callTool({ name: 'hello_say_greeting', arguments: { name: 'Ada' } })).toMatchObject({
      structuredContent: { greeting: 'Hello, Ada!' },
    });
    await client.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
