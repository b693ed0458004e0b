import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from './cli-terminal.ts';

const HELLO = fileURLToPath(new URL('../../../servers/hello-world-mcp-server/dist/main.js', import.meta.url));
const EVERYTHING = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sallyport-lint-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const BAD = {
  tools: [
    {
      name: 'get weather',
      description: 'Weather.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    },
    { name: 'weather_list_items', description: 'Lists every station of the country.', inputSchema: { type: 'object' } },
  ],
};

function lint(...args: string[]) {
  return cli(['lint', ...args], { cwd: folder });
}

function file(name: string, value: unknown): string {
  writeFileSync(join(folder, name), JSON.stringify(value));
  return name;
}

describe('lint', () => {
  it('finds nothing in the smallest server of the kit', async () => {
    const { exit, stdout, stderr } = await lint('--fail-on', 'note', '--call', '--', process.execPath, HELLO);
    expect({ exit, stderr }).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('0 errors, 0 warnings, 0 notes'),
    });
    expect(stdout).toMatch(/100 of 100, 1 tools/);
  });

  it('reports a real server of npm with its score, and calls its read-only tools', async () => {
    const { exit, json } = await lint('--call', '--json', '--', process.execPath, EVERYTHING);
    expect(exit).toBe(0);
    const [report] = (json() as { reports: { score: number; tools: unknown[]; findings: { rule: string }[] }[] })
      .reports;
    expect(report?.tools.length).toBeGreaterThan(5);
    expect(report?.score).toBeGreaterThan(50);
    expect(report?.findings.length).toBeGreaterThan(0);
  });

  it('reads definitions from a file, and ends with 6 from the level on that is asked for', async () => {
    const name = file('bad.json', BAD);
    expect(await lint(name)).toMatchObject({ exit: 6, stdout: expect.stringContaining('spec/name-characters') });
    expect(await lint(name, '--fail-on', 'none')).toMatchObject({ exit: 0 });
    expect(await lint(name, '--fail-on', 'some')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('error, warning, note or none'),
    });
  });

  it('forgets what is in the baseline, and what the author switched off', async () => {
    const name = file('known.json', BAD);
    expect(await lint(name, '--write-baseline', 'base.json')).toMatchObject({ exit: 0 });
    expect(await lint(name, '--baseline', 'base.json', '--fail-on', 'note')).toMatchObject({ exit: 0 });
    const more = {
      tools: [...BAD.tools, { name: 'a b', description: 'Returns something of use.', inputSchema: { type: 'object' } }],
    };
    writeFileSync(join(folder, name), JSON.stringify(more));
    expect(await lint(name, '--baseline', 'base.json')).toMatchObject({
      exit: 6,
      stdout: expect.stringMatching(/a b.*spec\/name-characters/),
    });
    const [first, ...rest] = BAD.tools;
    const off = { tools: [{ ...first, _meta: { 'io.sallyport/lint-off': ['spec/name-characters'] } }, ...rest] };
    expect(await lint(file('off.json', off))).toMatchObject({ exit: 0 });
  });

  it('writes for other programs', async () => {
    const name = file('for-others.json', BAD);
    const sarif = JSON.parse((await lint(name, '--reporter', 'sarif')).stdout) as {
      runs: { tool: { driver: { rules: { id: string }[] } }; results: { ruleId: string }[] }[];
    };
    const ids = new Set(sarif.runs[0]?.tool.driver.rules.map(({ id }) => id));
    expect(sarif.runs[0]?.results.length).toBeGreaterThan(0);
    expect(sarif.runs[0]?.results.every(({ ruleId }) => ids.has(ruleId))).toBe(true);
    expect((await lint(name, '--reporter', 'junit')).stdout).toMatch(
      /<testsuite name="for-others.json" tests="3" failures="\d">/,
    );
    expect((await lint(name, '--reporter', 'markdown')).stdout).toContain('| level | tool | finding | rule |');
    expect(await lint(name, '--reporter', 'html')).toMatchObject({ exit: 1 });
  });

  it('writes suggestions beside the file, in its form; linting that finds nothing of what is mended', async () => {
    const document = { jsonrpc: '2.0', id: 1, result: { ...BAD, nextCursor: 'c' } };
    const before = file('to-fix.json', document);
    expect(await lint(before, '--fix')).toMatchObject({
      exit: 6,
      stderr: expect.stringContaining('to-fix.fixed.json'),
    });
    const read = () => JSON.parse(readFileSync(join(folder, 'to-fix.fixed.json'), 'utf8')) as typeof document;
    const once = read();
    expect(once).toMatchObject({ jsonrpc: '2.0', id: 1, result: { nextCursor: 'c' } });
    expect(once.result.tools[1]).toMatchObject({
      ...BAD.tools[1],
      title: 'Weather list items',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      inputSchema: { type: 'object', additionalProperties: false },
      _meta: { 'io.sallyport/suggested': { '/annotations/readOnlyHint': 'The name says "list".' } },
    });
    const left = (await lint('to-fix.fixed.json', '--json')).json() as { reports: { findings: { rule: string }[] }[] };
    expect(new Set(left.reports[0]?.findings.map(({ rule }) => rule))).toEqual(
      new Set([
        ...['descriptions/short', 'descriptions/repeats-name', 'descriptions/placeholder'],
        ...['schemas/output-missing', 'pages/limit-missing'],
      ]),
    );
    await lint('to-fix.fixed.json', '--fix', '--in-place');
    expect(read()).toEqual(once);
  });

  it('fixes in place and elsewhere, and a running server by a file of suggestions', async () => {
    const name = file('in-place.json', BAD);
    expect(await lint(name, '--fix', '--in-place')).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('suggested changes'),
    });
    expect(await lint(name)).toMatchObject({ exit: 0 });
    expect(await lint(name, '--fix', '--out', 'elsewhere.json', '--json')).toMatchObject({ exit: 0 });
    const { json } = await lint('--fix', '--json', '--', process.execPath, EVERYTHING);
    const [{ file: written, changes }] = (
      json() as { fixes: [{ file: string; changes: { tool: string; path: string }[] }] }
    ).fixes;
    expect(written).toMatch(/^[\w.-]+\.fixed\.json$/);
    expect(changes.length).toBeGreaterThan(0);
    const again = await lint(written, '--fix', '--in-place', '--json');
    expect((again.json() as { fixes: { changes: unknown[] }[] }).fixes[0]?.changes).toEqual([]);
  });

  it.each([
    [['--in-place'], 'give --fix as well'],
    [['--fix', '--in-place', '--out', 'x.json'], 'without --out'],
  ])('says how --fix is used: %s', async (args, said) => {
    expect(await lint(file('use.json', BAD), ...args)).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining(said),
    });
  });

  it('does not change the definitions of a running server in place', async () => {
    const { exit, stderr } = await lint('--fix', '--in-place', '--', process.execPath, HELLO);
    expect({ exit, stderr }).toMatchObject({ exit: 1, stderr: expect.stringContaining('JSON file of definitions') });
  });

  it('compares two versions: breaking, compatible, text', async () => {
    const before = file('v1.json', BAD);
    const after = structuredClone(BAD) as { tools: Record<string, unknown>[] };
    Object.assign(after.tools[0]!, {
      description: 'The weather of a city.',
      inputSchema: { type: 'object', properties: { city: { type: 'number' } } },
    });
    after.tools.push({ name: 'weather_get_map', description: 'Returns a map.', inputSchema: { type: 'object' } });
    const { exit, json } = await lint(file('v2.json', after), '--compare', before, '--json');
    expect(exit).toBe(6);
    expect((json() as { changes: { weight: string }[] }).changes.map(({ weight }) => weight)).toEqual([
      'text',
      'breaking',
      'compatible',
    ]);
    const closed = structuredClone(BAD) as { tools: Record<string, unknown>[] };
    Object.assign(closed.tools[1]!, { inputSchema: { type: 'object', additionalProperties: false } });
    expect(await lint(file('v3.json', closed), '--compare', before)).toMatchObject({
      exit: 6,
      stdout: expect.stringMatching(/^breaking .* no longer allowed/),
    });
    expect(await lint(before, '--compare', 'v3.json')).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/^compatible /),
    });
    expect(await lint(before, '--compare', before)).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('0 changes'),
    });
  });

  it('explains every rule', async () => {
    const { json } = await lint('--explain', 'all', '--json');
    const { rules } = json() as { rules: { rule: string }[] };
    expect(rules.length).toBeGreaterThan(40);
    expect((await lint('--explain', 'names/length')).stdout).toMatch(/64 characters[\s\S]*Keeps it:[\s\S]*Breaks it:/);
    expect(await lint('--explain', 'names/none')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('--explain all'),
    });
  });

  it('says what is wrong with its input', async () => {
    expect(await lint()).toMatchObject({ exit: 1, stderr: expect.stringContaining('Name what to lint') });
    expect(await lint('missing.json')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('missing.json cannot be read (ENOENT)'),
    });
    writeFileSync(join(folder, 'broken.json'), '{');
    expect(await lint('broken.json')).toMatchObject({ exit: 1, stderr: expect.stringContaining('is not JSON') });
  });
});
