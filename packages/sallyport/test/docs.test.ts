import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../src/cli/commands.ts';
import { toJsonSchema } from '../src/config/json-schema.ts';
import { loadSnapshot } from '../src/config/load-snapshot.ts';
import type { JsonObject } from '../src/core/json.ts';
import { refusePattern } from '../src/guard/secrets/custom-patterns.ts';
import { listExplained, listKeys } from './configuration-keys.ts';
import { findDeadLinks, findMissingPaths, listPages, ROOT, readPage, toBlocks } from './docs-pages.ts';

interface Generator {
  readonly page: string;
  sections(): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
}

const script = (name: string): Promise<unknown> => import(/* @vite-ignore */ join(ROOT, 'scripts', name));

const pages = listPages();
const blocks = pages.flatMap(toBlocks);
const generators = [
  'docs-api.mjs',
  'docs-configuration.mjs',
  'docs-commands.mjs',
  'docs-errors.mjs',
  'docs-findings.mjs',
];

it('reads the pages it should', () => {
  expect(pages).toEqual(
    expect.arrayContaining(['README.md', 'README.zh-CN.md', 'docs/configuration.md', 'bench/README.md']),
  );
  expect(pages.length).toBeGreaterThan(20);
});

describe.each(pages)('%s', (page) => {
  it('names paths that exist', () => {
    expect(findMissingPaths(page)).toEqual([]);
  });
  it('has links that lead somewhere', () => {
    expect(findDeadLinks(page)).toEqual([]);
  });
});

describe('configuration snippets', () => {
  const snippets = blocks
    .filter(({ language }) => ['json', 'jsonc', 'yaml'].includes(language))
    .map((block) => [`${block.page}:${block.line}`, block] as const);

  it('finds them', () => expect(snippets.length).toBeGreaterThan(10));

  it.each(snippets)('%s', (_, { language, text }) => {
    if (language === 'json') JSON.parse(text);
    const isConfiguration = /^\s*(?:"(?:mcpServers|servers|gateway)"|(?:mcpServers|servers|gateway):)/m.test(text);
    if (!isConfiguration) return;
    const env = Object.fromEntries(
      [...text.matchAll(/(?:\$\{(?:env:)?|"secretEnv": ")([A-Z_]+)[}"]/g)].map((match) => [match[1], 'value']),
    );
    const file = `/home/you/sallyport.${language === 'yaml' ? 'yaml' : 'json'}`;
    const snapshot = loadSnapshot({
      text,
      file,
      env,
      stateDir: '/tmp/state',
      version: 1,
      refusePattern,
      readText: () => '',
    });
    expect(snapshot.version).toBe(1);
  });
});

describe('generated parts', () => {
  it.each(generators)('%s', async (name) => {
    const { page, sections } = (await script(name)) as Generator;
    const { replaceSection } = (await script('docs-section.mjs')) as {
      replaceSection(text: string, name: string, body: string): string;
    };
    const text = readPage(page);
    // Out of date: npx tsc -b && node scripts/docs.mjs
    for (const [section, body] of await sections()) expect(text, section).toBe(replaceSection(text, section, body));
  });

  it('explains every key of the configuration', () => {
    const keys = listKeys(toJsonSchema() as JsonObject); // plain JSON
    expect(keys).toEqual(
      expect.arrayContaining([
        'taint.flows[].to.acts',
        'bundles.<name>.tools[].tool',
        'breaker.openMs',
        'auth.idp.issuer',
      ]),
    );
    const explained = listExplained(readPage('docs/configuration.md'), keys);
    // A section without a table, or a key without a row: scripts/docs-configuration.mjs and a heading of the page.
    expect(keys.filter((key) => !explained.has(key))).toEqual([]);
  });

  it('shows every figure of detection that has a goal, with that goal', async () => {
    const { readGoals } = (await script('docs-detection.mjs')) as {
      readGoals(): ReadonlyMap<string, { readonly goal: string; readonly counted: string }>;
    };
    const goals = readGoals();
    expect(goals.size).toBeGreaterThan(20);
    const rows = [...readPage('docs/detection.md').matchAll(/^\| `([a-z_.]+)` \| (.+) \| (.+) \| (.+) \|$/gm)];
    // Written from a run: npm run -s bench -- detection --data DIR --json | node scripts/docs-detection.mjs
    expect(rows.map(([, name, counted, goal]) => [name, { goal, counted }]).sort()).toEqual([...goals].sort());
    for (const [, name, , , measured] of rows) expect(measured, name).toMatch(/^[\d.]+ (?:%, \d+ of \d+ \(.+\)|ms)/);
  });

  it('explains every command', () => {
    const headings = [...readPage('docs/commands.md').matchAll(/^## sallyport (.+)$/gm)].map((match) => match[1]);
    expect(headings).toEqual(COMMANDS.map(({ name }) => name));
  });
});

describe('folders', () => {
  const source = join(ROOT, 'packages/sallyport/src');
  const folders = readdirSync(source, { withFileTypes: true }).filter((entry) => entry.isDirectory());

  it.each(folders.map(({ name }) => name))('src/%s has a README when it has more than five files', (name) => {
    const files = readdirSync(join(source, name)).filter((file) => !file.includes('.test.'));
    if (files.length <= 5) return;
    expect(files).toContain('README.md');
    expect(readFileSync(join(source, name, 'README.md'), 'utf8').split('\n').length).toBeLessThan(30);
  });
});
