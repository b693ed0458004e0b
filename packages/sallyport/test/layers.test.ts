import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { findViolations, readTree, type Violation } from './layers.ts';
import { readSource } from './layers-imports.ts';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
const FIXTURES = fileURLToPath(new URL('./fixtures/layers', import.meta.url));

const show = ({ rule, file, line, message }: Violation): string => `${rule} ${file}:${line} ${message}`;

describe('the product', () => {
  const tree = readTree(SRC);

  test('every file was seen', () => {
    const walked = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => /\.[mc]?tsx?$/.test(path));
    expect(tree.size).toBe(walked.length);
    expect(tree.size).toBeGreaterThan(40);
  });

  test('every import was seen', () => {
    const missed: string[] = [];
    let seen = 0;
    for (const [file, text] of tree) {
      const specifiers = new Set(readSource(text).imports.map(({ specifier }) => specifier));
      seen += specifiers.size;
      // A second, cruder reader: whole lines that can only be the end of an import.
      for (const [, specifier] of text.matchAll(/^(?:import|export|\}) .*from '([^']+)';$/gm))
        if (!specifiers.has(specifier)) missed.push(`${file}: ${specifier}`);
    }
    expect(missed).toEqual([]);
    expect(seen).toBeGreaterThan(150);
  });

  test('keeps every rule of design.md "Who may import whom"', () => {
    expect(findViolations(tree).map(show)).toEqual([]);
  });

  test('each file of call/ has a unit test beside it, unless it has types only', () => {
    const untested = [...tree]
      .filter(([file, text]) => /^call\/[\w-]+\.ts$/.test(file) && /^export (?!interface|type)/m.test(text))
      .map(([file]) => file)
      .filter((file) => !tree.has(file.replace(/\.ts$/, '.test.ts')));
    expect(untested).toEqual([]);
  });

  test('nothing reaches an upstream past call/: gateway/ only ends what it follows', () => {
    const uses = [...tree]
      .filter(([file]) => file.startsWith('gateway/') && !file.endsWith('.test.ts'))
      .flatMap(([file, text]) =>
        [...text.matchAll(/ports\.(?:upstreams|tasks)\.(\w+)\(/g)].map(([, used]) => `${file} ${used}`),
      );
    expect([...new Set(uses.map((use) => use.split(' ')[1]))].sort()).toEqual([
      ...['onEvent', 'release', 'unfollowTask', 'unsubscribe'],
    ]);
  });
});

/** What each fixture tree breaks, and nothing else. */
const BROKEN: Record<string, readonly string[]> = {
  barrel: [
    'barrel core/all.ts:1 exports only what other files export: import from those',
    'barrel core/index.ts:0 a file called index hides what it holds',
  ],
  clean: [],
  cycle: [
    'cycle core/a.ts:0 core/a.ts -> core/b.ts -> core/c.ts -> core/a.ts',
    'cycle core/self.ts:0 core/self.ts -> core/self.ts',
  ],
  'domain-io': [
    'domain-io catalog/b.ts:1 catalog/ does no I/O of its own, and "node:fs/promises" does',
    'domain-io guard/a.ts:1 guard/ does no I/O of its own, and "node:fs" does',
    'domain-io guard/a.ts:2 guard/ does no I/O of its own, and "net" does',
  ],
  layer: [
    'layer app/app.ts:1 app may not import cli',
    'layer call/g.ts:1 call may not import gateway',
    'layer catalog/c.ts:1 catalog may not import guard',
    'layer config/b.ts:1 config may not import catalog',
    'layer control/k.test.ts:1 control may not import cli',
    'layer control/k.ts:1 control may not import gateway',
    'layer control/k.ts:2 "./k.test.ts" is a test',
    'layer core/a.ts:1 core may not import config',
    'layer gateway/h.ts:1 gateway may not import storage',
    'layer gateway/h.ts:4 gateway may not import upstream',
    'layer guard/d.ts:1 guard may not import upstream',
    'layer host/j.ts:1 host may not import upstream',
    'layer host/j.ts:2 host may not import control',
    'layer storage/i.ts:1 storage may not import app',
    'layer telemetry/f.ts:1 telemetry may not import call',
    'layer upstream/e.ts:1 upstream may not import catalog',
    'layer upstream/e.ts:2 upstream may not import telemetry',
    'cycle catalog/c.ts:0 catalog/c.ts -> guard/d.ts -> upstream/e.ts -> catalog/c.ts',
  ],
  library: [
    'library call/c.ts:3 "@scope/two" is used in call, gateway',
    'library call/c.ts:3 "pino" is used in call, cli',
    'library call/c.ts:3 "undici" is used in call, cli',
    'library call/c.ts:3 "yaml" is used in call, config',
    'library cli/d.ts:1 "pino" is used in call, cli',
    'library cli/d.ts:2 "undici" is used in call, cli',
    'library config/a.ts:1 "zod" is used in config, gateway',
    'library config/a.ts:2 "yaml" is used in call, config',
    'library gateway/b.ts:1 "zod" is used in config, gateway',
    'library gateway/b.ts:2 "@scope/two" is used in call, gateway',
  ],
  path: [
    'path core/a.ts:1 "./b" is no file; relative imports name the .ts file',
    'path core/a.ts:2 "./b.js" is no file; relative imports name the .ts file',
    'path core/a.ts:3 "./none.ts" is no file; relative imports name the .ts file',
    'path core/a.ts:4 "../../package.json" leaves src',
    'path core/a.ts:5 "/etc/f.ts" is no relative path and no package',
    'path core/a.ts:6 "#g" is no relative path and no package',
    'path core/a.ts:7 "https://example.com/h.ts" is no relative path and no package',
    'path core/a.ts:8 "../../test/sample-call.ts" leaves src',
  ],
  place: [
    'place helpers.ts:0 "helpers.ts" has no place in design.md',
    'place utils/a.ts:0 "utils" has no place in design.md',
  ],
  'protocol-date': [
    'protocol-date cli/b.ts:2 2024-11-05 belongs into upstream/ or gateway/',
    'protocol-date cli/b.ts:4 2025-06-18 belongs into upstream/ or gateway/',
    'protocol-date core/a.ts:2 2026-07-28 belongs into upstream/ or gateway/',
  ],
  unreadable: [
    'unreadable core/a.ts:2 an import whose target cannot be read',
    'unreadable core/a.ts:2 an import whose target cannot be read',
    'unreadable core/a.ts:2 an import whose target cannot be read',
    "unreadable core/b.ts:0 Error: line 1: a string without an end: 'no end\n",
  ],
};

describe('a broken rule is found', () => {
  test('every fixture is used', () => {
    expect(readdirSync(FIXTURES).sort()).toEqual(Object.keys(BROKEN));
  });

  test.each(Object.entries(BROKEN))('%s', (name, expected) => {
    const tree = readTree(join(FIXTURES, name), '.txt');
    expect(tree.size).toBeGreaterThan(1);
    expect(findViolations(tree).map(show).sort()).toEqual([...expected].sort());
  });

  test('in the product, too: one more import of the wrong folder is seen', () => {
    const tree = new Map(readTree(SRC));
    tree.set('core/json.ts', `${tree.get('core/json.ts')}\nexport type { App } from '../app/app.ts';\n`);
    expect(findViolations(tree).map(({ rule, file }) => `${rule} ${file}`)).toContain('layer core/json.ts');
  });
});

describe('what the reader takes for an import', () => {
  test.each<[string, readonly (string | undefined)[]]>([
    [`import 'a';`, ['a']],
    [`import a, { type b as c } from "a";`, ['a']],
    [`import * as a from 'a'\nimport type { b } from 'b'`, ['a', 'b']],
    [`import {\n  from,\n} from 'from';`, ['from']],
    [`import a from 'a' with { type: 'json' };`, ['a']],
    [`import a = require('a');`, [undefined, 'a']],
    [
      `export { a } from 'a'; export type { b } from 'b'; export * from 'c'; export * as d from 'd';`,
      ['a', 'b', 'c', 'd'],
    ],
    [`let a: import('a').A<typeof import('b')>;`, ['a', 'b']],
    ['await import(`a`)', ['a']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is source text.
    ['`${await import("a")} import("b")`', ['a']],
    ['const a = b / c; import("a"); const d = e / f;', ['a']],
    [`const a = /['"\`/]/; import 'a';`, ['a']],
    [`if (a / 2 > 1) { /* ' */ } // "\nimport 'a';`, ['a']],
    ['import(a)', [undefined]],
    [`a.import('b'); ({ import: 'c', require: 1 }); import.meta.url; export { d }; export const e = 'from';`, []],
    [`// import 'a'\n/* import 'b' */ "import 'c'"; 'import "d"'; \`import 'e'\``, []],
  ])('%s', (text, expected) => {
    expect(readSource(text).imports.map(({ specifier }) => specifier)).toEqual(expected);
  });

  test.each(['a = "', "a = 'b\n'", '`a', '`${a', 'a = /b\n/'])('%j cannot be read, and says so', (text) => {
    expect(() => readSource(text)).toThrow(/^line 1: a (?:string|template|regular expression) without an end/);
  });
});
