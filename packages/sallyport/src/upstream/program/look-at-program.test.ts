import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toCacheKey } from './find-npm-package.ts';
import { ProgramLooker } from './look-at-program.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'program-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(files: Readonly<Record<string, unknown>>) {
  for (const [name, content] of Object.entries(files)) {
    const file = join(home, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    if (name.includes('bin/')) chmodSync(file, 0o755);
  }
}

const looker = new ProgramLooker();

function look(command: string, ...args: string[]) {
  const environment = { HOME: home, PATH: `${join(home, 'bin')}` };
  return looker.look({ type: 'stdio', command, args, env: {}, cwd: join(home, 'work') }, environment);
}

/** A package as npm has installed it, in the place npx keeps for this word. */
function writeNpx(spec: string, name: string, version: string) {
  const folder = `.npm/_npx/${toCacheKey(spec)}/node_modules`;
  write({
    [`${folder}/.package-lock.json`]: {
      packages: { [`node_modules/${name}`]: { version, integrity: `sha512-${version}` } },
    },
    [`${folder}/${name}/package.json`]: { name, version, bin: 'index.js' },
    [`${folder}/${name}/index.js`]: `// ${version}`,
  });
}

/** Every way to change what runs must change what is told, and nothing else may. */
async function changes(words: readonly [string, ...string[]], change: Readonly<Record<string, unknown>>) {
  const before = await look(...words);
  write(change);
  return JSON.stringify(await look(...words)) !== JSON.stringify(before);
}

describe('npx', () => {
  it('is its package: name, version, integrity, files', async () => {
    writeNpx('@x/notes@1.2.0', '@x/notes', '1.2.0');
    expect(await look('npx', '-y', '@x/notes@1.2.0', '--port', '1')).toEqual({
      kind: 'known',
      facts: {
        runs: 'npm:@x/notes@1.2.0',
        integrity: 'sha512-1.2.0',
        files: 2,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      },
    });
  });

  it('is absent while npx unpacks it, and says what is there already', async () => {
    const folder = `.npm/_npx/${toCacheKey('notes@3.0.0')}/node_modules`;
    const entry = { name: 'notes', version: '3.0.0', bin: 'index.js' };
    write({ [`${folder}/notes/package.json`]: entry, [`${folder}/notes/index.js`]: '// half' });
    const partial = expect.objectContaining({ runs: 'npm:notes@3.0.0' });
    expect(await look('npx', 'notes@3.0.0')).toMatchObject({ kind: 'absent', runs: 'npm:notes@3.0.0', partial });
    // What npm noted of the version before is not what it is unpacking.
    const noted = (version: string) => ({ packages: { 'node_modules/notes': { version, integrity: 'sha512-x' } } });
    write({ [`${folder}/.package-lock.json`]: noted('2.0.0') });
    expect(await look('npx', 'notes@3.0.0')).toMatchObject({ kind: 'absent', partial });
    write({ [`${folder}/.package-lock.json`]: noted('3.0.0') });
    expect(await look('npx', 'notes@3.0.0')).toMatchObject({ kind: 'known', facts: { integrity: 'sha512-x' } });
  });

  it('takes the folder npx takes', () => {
    expect(toCacheKey('cowsay')).toBe(createHash('sha512').update('cowsay').digest('hex').slice(0, 16));
  });

  it('without an exact version is said to float', async () => {
    writeNpx('notes', 'notes', '1.2.0');
    expect(await look('npx', 'notes')).toMatchObject({ facts: { runs: 'npm:notes@1.2.0', floating: true } });
    writeNpx('notes@latest', 'notes', '1.3.0');
    expect(await look('npx', 'notes@latest')).toMatchObject({ facts: { runs: 'npm:notes@1.3.0', floating: true } });
  });

  it('that has to fetch it first is absent', async () => {
    expect(await look('npx', 'notes@1.2.0')).toMatchObject({ kind: 'absent', runs: 'npm:notes@1.2.0' });
    writeNpx('notes@1.2.0', 'notes', '1.1.0');
    expect(await look('npx', 'notes@1.2.0')).toMatchObject({ kind: 'absent' });
  });

  it('prefers what the project has installed', async () => {
    writeNpx('notes@1.2.0', 'notes', '1.2.0');
    const before = await look('npx', 'notes@1.2.0');
    write({
      'work/package.json': { name: 'work' },
      'work/node_modules/notes/package.json': { name: 'notes', version: '1.2.0' },
      'work/node_modules/notes/other.js': 'evil()',
    });
    expect(await look('npx', 'notes@1.2.0')).not.toEqual(before);
  });

  it.each([
    ['a file of it', 'index.js', 'evil()', true],
    ['a new file', 'lib/more.js', 'evil()', true],
    ['data it wrote beside its code', 'memory.jsonl', '{}', false],
  ])('changes with %s: %s', async (_, name, content, expected) => {
    writeNpx('notes@1.2.0', 'notes', '1.2.0');
    const file = `.npm/_npx/${toCacheKey('notes@1.2.0')}/node_modules/notes/${name}`;
    expect(await changes(['npx', 'notes@1.2.0'], { [file]: content })).toBe(expected);
  });
});

describe('a script', () => {
  const files = {
    'work/main.js': 'import { a } from "./lib/a.js"; import zod from "zod"; const b = require("./lib/b")',
    'work/lib/a.js': 'export const a = 1;',
    'work/lib/b.cjs': 'new Worker(new URL("../worker.js", import.meta.url))',
    'work/worker.js': '',
    'work/unrelated.js': '',
    'work/node_modules/zod/package.json': { name: 'zod', version: '4.0.0' },
  };

  it.each([
    ['the file itself', 'work/main.js', 'evil()', true],
    ['what it imports', 'work/lib/a.js', 'evil()', true],
    ['what it requires, without an ending', 'work/lib/b.cjs', 'evil()', true],
    ['what that starts', 'work/worker.js', 'evil()', true],
    [
      'the version of a package it imports',
      'work/node_modules/zod/package.json',
      { name: 'zod', version: '4.0.1' },
      true,
    ],
    ['a file it does not load', 'work/unrelated.js', 'x', false],
    ['data', 'work/data.json', '{}', false],
  ])('changes with %s', async (_, name, content, expected) => {
    write(files);
    expect(await look('node', 'main.js')).toMatchObject({
      facts: { runs: 'file:main.js', files: 4, packages: { zod: '4.0.0' } },
    });
    expect(await changes(['node', '--max-old-space-size', '100', 'main.js'], { [name]: content })).toBe(expected);
  });

  it('changes with what is loaded before it', async () => {
    write({ ...files, 'work/hook.js': '' });
    const words = ['node', '--import', './hook.js', 'main.js'] as const;
    expect(await changes([...words], { 'work/hook.js': 'evil()' })).toBe(true);
  });

  it('in Python changes with its own modules', async () => {
    write({
      'work/app/server.py': 'import os\nfrom helper import x\nfrom parts.one import (a, b)\n',
      'work/app/helper.py': 'from . import more\n',
      'work/app/more.py': '',
      'work/app/parts/__init__.py': '',
      'work/app/parts/one.py': '',
      'work/app/test_it.py': '',
    });
    const words = ['python3', '-u', 'app/server.py'] as const;
    expect(await look(...words)).toMatchObject({ facts: { runs: 'file:server.py', files: 5 } });
    expect(await changes([...words], { 'work/app/more.py': 'evil()' })).toBe(true);
    expect(await changes([...words], { 'work/app/parts/one.py': 'evil()' })).toBe(true);
    expect(await changes([...words], { 'work/app/test_it.py': 'evil()' })).toBe(false);
  });

  it('of an installed package is the package', async () => {
    write({
      'work/node_modules/notes/package.json': { name: 'notes', version: '1.0.0' },
      'work/node_modules/notes/dist/main.js': '',
      'work/node_modules/notes/dist/lazy.js': '',
    });
    expect(await look('node', 'node_modules/notes/dist/main.js')).toMatchObject({ facts: { runs: 'npm:notes@1.0.0' } });
    const change = { 'work/node_modules/notes/dist/lazy.js': 'evil()' };
    expect(await changes(['node', 'node_modules/notes/dist/main.js'], change)).toBe(true);
  });
});

describe('what runs whatever it is called', () => {
  const files = {
    'work/node_modules/notes/package.json': { name: 'notes', version: '1.0.0', bin: { notes: './bin/notes' } },
    'work/node_modules/notes/bin/notes': '#!/usr/bin/env node\n',
    'work/node_modules/notes/lib/env/index.js': '',
    'work/hook.js': '',
    'work/package.json': { name: 'work' },
  };

  it.each([
    ['the program of a package', ['npx', 'notes@1.0.0'], 'work/node_modules/notes/bin/notes'],
    ['the program of a folder', ['npx', './node_modules/notes'], 'work/node_modules/notes/bin/notes'],
    [
      'a file of a package without an ending',
      ['node', 'node_modules/notes/bin/notes'],
      'work/node_modules/notes/bin/notes',
    ],
    ['a folder that is called like an environment', ['npx', 'notes@1.0.0'], 'work/node_modules/notes/lib/env/index.js'],
    ['what is loaded before a package', ['node', '-r', './hook.js', 'node_modules/notes/bin/notes'], 'work/hook.js'],
  ] as const)('changes with %s', async (_, words, file) => {
    write(files);
    expect(await look(...(words as unknown as [string]))).toMatchObject({ kind: 'known' });
    expect(await changes(words as unknown as [string], { [file]: 'evil()' })).toBe(true);
  });

  it('an environment of Python is none of it', async () => {
    write({ 'work/server/app.py': '', 'work/server/env/pyvenv.cfg': '', 'work/server/env/lib/x.py': '' });
    const words = ['uv', '--directory', 'server', 'run', 'app'] as const;
    expect(await changes([...words], { 'work/server/env/lib/x.py': 'evil()' })).toBe(false);
  });

  it.skipIf(process.platform === 'win32')('a pipe that is called like code is not waited for', async () => {
    write({ 'work/server/app.py': '' });
    execFileSync('mkfifo', [join(home, 'work/server/more.py')]);
    expect(await look('uv', '--directory', 'server', 'run', 'app')).toMatchObject({ kind: 'opaque' });
  });
});

describe('other commands', () => {
  it('an executable is its bytes, wherever it is found', async () => {
    write({ 'bin/server': '\u007fELF 1', 'work/x': '' });
    expect(await look('server')).toMatchObject({ kind: 'known', facts: { runs: 'file:server' } });
    expect(await changes(['server'], { 'bin/server': '\u007fELF 2' })).toBe(true);
    expect(await changes(['env', 'A=1', 'server'], { 'bin/server': '\u007fELF 3' })).toBe(true);
  });

  it('a program of a Python environment is its distribution', async () => {
    const info = 'venv/lib/python3.12/site-packages/mcp_notes-2.0.0.dist-info';
    write({
      'venv/bin/mcp-notes': '#!/usr/bin/python3\n',
      [`${info}/entry_points.txt`]: '[console_scripts]\nmcp-notes = mcp_notes:main\n',
      [`${info}/RECORD`]: 'mcp_notes/__init__.py,sha256=abc,1\n',
    });
    const command = join(home, 'venv/bin/mcp-notes');
    expect(await look(command)).toMatchObject({ facts: { runs: 'pypi:mcp-notes@2.0.0' } });
    expect(await changes([command], { [`${info}/RECORD`]: 'mcp_notes/__init__.py,sha256=def,1\n' })).toBe(true);
  });

  it('uvx is the wheel in the cache of uv', async () => {
    expect(await look('uvx', 'mcp-notes==2.0.0')).toMatchObject({ kind: 'absent', runs: 'pypi:mcp-notes@2.0.0' });
    write({ '.cache/uv/archive-v0/x/Mcp_Notes-2.0.0.dist-info/RECORD': 'a' });
    expect(await look('uvx', 'mcp-notes==2.0.0')).toMatchObject({
      kind: 'known',
      facts: { runs: 'pypi:mcp-notes@2.0.0' },
    });
    expect(await look('uvx', 'mcp-notes')).toMatchObject({ facts: { floating: true } });
    write({ '.cache/uv/archive-v0/y/mcp_notes-2.1.0.dist-info/RECORD': 'b' });
    expect(await look('uvx', 'mcp-notes')).toMatchObject({ kind: 'absent' });
  });

  it('an image is its digest: in its name, or that of the local image', async () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    expect(await look('docker', 'run', '-i', '--rm', '-e', 'KEY', `notes@${digest}`)).toEqual({
      kind: 'known',
      facts: { runs: `image:notes@${digest}`, digest },
    });
    expect(await look('docker', 'run', '-i', 'notes:1')).toMatchObject({ kind: 'absent', how: 'docker pull notes:1' });
    write({ 'bin/docker': `#!/bin/sh\n[ "$1 $2 $5" = "image inspect notes:1" ] && echo ${digest}\n` });
    expect(await look('docker', 'run', '--name', 'n', '-i', 'notes:1')).toMatchObject({
      facts: { runs: 'image:notes:1', digest, floating: true },
    });
  });

  it('a folder is the code in it', async () => {
    write({ 'work/server/pyproject.toml': '', 'work/server/src/app.py': '', 'work/server/.venv/x.py': '' });
    const words = ['uv', '--directory', 'server', 'run', 'app'] as const;
    expect(await look(...words)).toMatchObject({ facts: { runs: 'folder:server', files: 2 } });
    expect(await changes([...words], { 'work/server/src/app.py': 'evil()' })).toBe(true);
    expect(await changes([...words], { 'work/server/.venv/x.py': 'evil()' })).toBe(false);
  });

  it('code in the arguments is those arguments', async () => {
    const [one, same, other] = await Promise.all(['a()', 'a()', 'b()'].map((code) => look('node', '-e', code)));
    expect(one).toMatchObject({ kind: 'known' });
    expect(one).toEqual(same);
    expect(one).not.toEqual(other);
  });

  it.each([
    [['node', 'missing.js'], 'no such file'],
    [['python', '-m', 'notes'], 'only the interpreter knows'],
    [['npm', 'run', 'start'], 'stands in no registry'],
    [['pnpm', 'dlx', 'notes@1.0.0'], 'not known'],
    [['missing-program'], 'not found'],
    [['docker', 'compose', 'up'], 'not told to run an image'],
  ] as const)('%j cannot be told', async ([command, ...args], reason) => {
    expect(await look(command, ...args)).toMatchObject({ kind: 'opaque', reason: expect.stringContaining(reason) });
  });

  it('does not repeat a command line that stands where the program belongs', async () => {
    expect(JSON.stringify(await look('node server.js --token=hunter2'))).not.toContain('hunter2');
  });

  it('says so when there is too much to look at', async () => {
    write(Object.fromEntries(Array.from({ length: 2001 }, (_, i) => [`work/big/${i}.js`, ''])));
    expect(await look('npx', './big')).toMatchObject({ kind: 'opaque', reason: expect.stringContaining('2000 files') });
  });
});
