import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from './cli-terminal.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
let folder = '';

/** An empty folder where the packed kit is installed as npm would: its files from the tarball, its dependencies beside it. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-new-'));
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: join(ROOT, 'packages/kit'),
  });
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  await run('tar', ['-xzf', join(folder, filename), '-C', folder]);
  mkdirSync(join(folder, 'node_modules/@sallyport'), { recursive: true });
  cpSync(join(folder, 'package'), join(folder, 'node_modules/@sallyport/kit'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter(
    (one) => !one.startsWith('.') && one !== '@sallyport',
  ))
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('new server', () => {
  it('builds, tests and lints clean at once, and again with another tool', async () => {
    expect(await cli(['new', 'server', 'tea-house'], { cwd: folder })).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('npm install && npm test'),
    });
    const home = join(folder, 'tea-house-mcp-server');
    const check = async () => {
      await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], { cwd: home });
      const { stdout } = await run(process.execPath, ['--test', 'test/'], { cwd: home });
      expect(stdout).toMatch(/# fail 0/);
      const linted = await cli([
        'lint',
        '--fail-on',
        'note',
        '--call',
        '--',
        process.execPath,
        join(home, 'dist/main.js'),
      ]);
      expect({ exit: linted.exit, found: linted.exit === 0 ? '' : linted.stdout }).toEqual({ exit: 0, found: '' });
    };
    await check();
    expect(await cli(['new', 'tool', 'tea_house_get_menu'], { cwd: home })).toMatchObject({ exit: 0 });
    const readme = join(home, 'README.md');
    const example = { tool: 'tea_house_get_menu', input: { name: 'Ada' }, output: { greeting: 'Hello, Ada!' } };
    writeFileSync(readme, `${readFileSync(readme, 'utf8')}\n\`\`\`json\n${JSON.stringify(example)}\n\`\`\`\n`);
    await check();
    expect(await cli(['new', 'tool', 'tea_house_get_menu'], { cwd: home })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('is there already'),
    });
  });

  it('says what is wrong with a name, and overwrites nothing', async () => {
    expect(await cli(['new', 'server', 'Tea House'], { cwd: folder })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('small letters'),
    });
    expect(await cli(['new', 'server', '../x'], { cwd: folder })).toMatchObject({ exit: 1 });
    mkdirSync(join(folder, 'taken-mcp-server'));
    expect(await cli(['new', 'server', 'taken'], { cwd: folder })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('is there already'),
    });
    expect(await cli(['new', 'tool', 'a_b_c'], { cwd: folder })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('no src/server.ts here'),
    });
  });
});
