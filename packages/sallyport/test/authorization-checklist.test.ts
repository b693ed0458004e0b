import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

/** docs/authorization-checklist.md says which test shows which rule; this keeps it true. */

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const PAGE = fileURLToPath(new URL('../../../docs/authorization-checklist.md', import.meta.url));
const RULES = 38;
/** A `,` after it: the name of a test, of a table, or of a row of one. */
const NAMED = /(['"`])((?:\\.|(?!\1).)+)\1\s*[,\]]/g;

interface Row {
  readonly rule: number;
  readonly level: string;
  readonly where: string;
  readonly tests: readonly { readonly file: string; readonly name: string }[];
}

const rows: readonly Row[] = readFileSync(PAGE, 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, rule, level, , where, shown] = /^\| (\d+) \| ([A-Z ]+) \| (.+?) \| (.+?) \| (.+) \|$/.exec(line) ?? [];
    if (rule === undefined || level === undefined || where === undefined || shown === undefined) return [];
    const tests = shown === '—' ? [] : shown.split('<br>').map(toTest);
    return [{ rule: Number(rule), level, where, tests }];
  });

function toTest(cell: string): { readonly file: string; readonly name: string } {
  const [, file, name] = /^`([^`]+\.test\.ts)`: (.+)$/.exec(cell) ?? [];
  if (file === undefined || name === undefined) throw new Error(`no test: ${cell}`);
  return { file, name };
}

test('every line of the tables is read', () => {
  const lines = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter((line) => /^\| \d/.test(line));
  expect(rows.length).toBe(lines.length);
  expect(rows.length).toBeGreaterThan(90);
});

test('every rule is there', () => {
  const wanted = Array.from({ length: RULES }, (_, index) => index + 1);
  expect([...new Set(rows.map(({ rule }) => rule))].sort((a, b) => a - b)).toEqual(wanted);
});

test('what is not shown by a test does not apply, and says why', () => {
  for (const { rule, tests, where } of rows)
    if (tests.length === 0) expect([rule, where]).toEqual([rule, expect.stringMatching(/^Not applicable: .{30}/)]);
});

test('where it is done exists', () => {
  for (const { where } of rows)
    for (const [, path = ''] of where.startsWith('Not applicable') ? [] : where.matchAll(/`([^`]+)`/g))
      expect([path, existsSync(join(PACKAGE, path))]).toEqual([path, true]);
});

describe('every test that is named exists', () => {
  const named = [...new Set(rows.flatMap(({ tests }) => tests.map(({ file, name }) => `${file}: ${name}`)))];
  test.each(named)('%s', (text) => {
    const file = text.slice(0, text.indexOf(': '));
    const name = text.slice(file.length + 2);
    const source = readFileSync(join(PACKAGE, file), 'utf8');
    const names = [...source.matchAll(NAMED)].map((match) => match[2]);
    expect(names).toContain(name);
  });
});
