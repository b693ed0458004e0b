import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { readTree } from './layers.ts';
import { findPatterns, PROVER, type Proof, provePattern } from './patterns.ts';

const SRC = fileURLToPath(new URL('../src', import.meta.url));
/** Proofs of earlier runs on this machine; a fresh clone has none and takes longer. */
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/sallyport/patterns.json', import.meta.url));

const OPERATOR = 'reads what the operator wrote, who may as well stop the program';
/** Patterns without a proof, and why they may stay. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['cli/doctor-configuration.ts \\$?\\$\\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\\}', OPERATOR],
  ['config/edit-file.ts \\/\\/.*|\\/\\*[\\s\\S]*?\\*\\/', OPERATOR],
  ['config/env-file.ts ^\\s*(?:export\\s+)?([A-Za-z_][A-Za-z0-9_.]*)\\s*=\\s*(.*?)\\s*$', OPERATOR],
  ['config/env-file.ts \\s+#.*$', OPERATOR],
  ['config/find-package.ts ^v?\\d+\\.\\d+[\\w.+-]*$', OPERATOR],
  ['config/find-package.ts [=<>!~@[\\s].*$', OPERATOR],
  ['config/interpolate.ts (\\$?)\\$\\{([^}]*)\\}', OPERATOR],
  ['config/read-client-file.ts ^-+|-+$', OPERATOR],
  ['config/read-client-file.ts \\$\\{input:([^}]*)\\}', OPERATOR],
  ['config/resolve-auth.ts \\/+$', OPERATOR],
  ['config/telemetry-section.ts \\/+$', OPERATOR],
  ['upstream/program/find-npm-package.ts ^\\s*cache\\s*=\\s*(.+?)\\s*$', OPERATOR],
  [
    'guard/sinks/classify-arguments.ts \\b(?:mysql|mariadb|psql|sqlite3|sqlcmd|sqlplus|clickhouse(?:-client)?|bq|duckdb|snowsql|cockroach)\\b[^|;]{0,1000}?(["\'])(.{0,4000}?)\\1',
    'a quote that another one follows ends the search, so that at most two quotes are read to the bound in vain',
  ],
]);

/** Files that make patterns from text, and why that is sound; those made while they are loaded are proven below. */
const MAKERS: ReadonlyMap<string, string> = new Map([
  ['cli/doctor-reply.ts', 'names of parameters of our own around bounded parts'],
  ['cli/explain-stderr.ts', 'loaded'],
  ['config/secrets-section.ts', 'RE2'],
  ['guard/approve/secret-words.ts', 'loaded'],
  ['guard/argument-safety/commands.ts', 'loaded'],
  ['guard/argument-safety/paths.ts', 'loaded'],
  ['guard/can-climb.ts', 'loaded'],
  ['guard/scan/foreign-words.ts', 'loaded'],
  ['guard/scan/foreign-words.ts', 'loaded'],
  ['guard/scan/lexicon.ts', 'loaded'],
  ['guard/scan/results/spoken-to.ts', 'loaded'],
  ['guard/taint/definition-values.ts', 'loaded'],
  ['guard/taint/number-words.ts', 'loaded'],
  ['guard/schema/compile-schema.ts', 'patterns of schemas of strangers: in a worker with a deadline'],
  ['guard/secrets/find-secrets.ts', 'loaded'],
  ['guard/secrets/provider-keys.ts', 'loaded'],
  ['guard/secrets/split-secrets.ts', 'loaded'],
]);

const found = [...readTree(SRC)]
  .filter(([file]) => !file.endsWith('.test.ts'))
  .map(([file, text]) => ({ file, ...findPatterns(text) }));

describe('regular expressions of the product', () => {
  test('each reads any text in linear time, or in bounded time from each place of it', {
    timeout: 900_000,
  }, async () => {
    const known = readCache();
    const problems: string[] = [];
    const used = new Set<string>();
    for (const { file, literals } of found)
      for (const { line, source, flags } of literals) {
        const exception = `${file} ${source}`;
        if (EXCEPTIONS.has(exception)) used.add(exception);
        else {
          const { problem } = await prove(source, flags, known);
          if (problem !== undefined) problems.push(`${file}:${line} /${source}/${flags}: ${problem}`);
        }
      }
    writeCache(known);
    expect(problems).toEqual([]);
    expect([...EXCEPTIONS.keys()].filter((one) => !used.has(one))).toEqual([]);
    expect(known.size).toBeGreaterThan(500);
  });

  test('those that are made from text are made where that is known', () => {
    const makers = found.filter(({ made }) => made.length > 0).map(({ file }) => file);
    expect(makers.filter((file) => !MAKERS.has(file))).toEqual([]);
  });

  test('those that are made while files are loaded are proven, too', async () => {
    const made: { readonly source: string; readonly flags: string }[] = [];
    const own = globalThis.RegExp;
    globalThis.RegExp = new Proxy(own, {
      construct(target, args: [string | RegExp, string?], newTarget) {
        const pattern = Reflect.construct(target, args, newTarget) as RegExp;
        // Libraries make patterns, too, which are theirs.
        const [, , maker = ''] = (new Error('made').stack ?? '').split('\n');
        if (!maker.includes('node_modules')) made.push({ source: pattern.source, flags: pattern.flags });
        return pattern;
      },
    });
    try {
      const files = found.filter(({ file }) => MAKERS.get(file) === 'loaded').map(({ file }) => file);
      vi.resetModules();
      for (const file of files) await import(`../src/${file}`);
    } finally {
      globalThis.RegExp = own;
    }
    expect(made.length).toBeGreaterThan(10);
    const known = readCache();
    const problems: string[] = [];
    for (const { source, flags } of made) {
      const { problem } = await prove(source, flags, known);
      if (problem !== undefined) problems.push(`/${source}/${flags}: ${problem}`);
    }
    writeCache(known);
    expect([...new Set(problems)]).toEqual([]);
  });
});

describe('the prover', () => {
  const good = [
    ['\\s+', 'g'],
    ['^\\s+$', ''],
    ['\\b(?:whenever|each time) (?:\\w+ ){0,4}(?:users?|anyone)\\b', 'gi'],
    ['^(?:[a-z0-9-]+\\.)+[a-z]+$', ''],
    ['(?<![A-Za-z])[a-z]{2,40}\\.[a-z]{2,20}', 'iu'],
    ['\\b(?:foo|bar)\\b.{0,60}\\bbaz\\b', 's'],
    ['(?:[0-9a-f]{2}){8,4096}', 'gi'],
    ['"(?:[^"\\\\]|\\\\.)*"?', 'gs'],
    ['\\{\\}[[\\](){}*+?.|^$\\\\/]', ''],
  ];
  test.each(good)('takes /%s/%s', async (source, flags) => {
    expect(await provePattern(source, flags)).toHaveProperty('proof');
  });

  const bad = [
    ['(a+)+$', ''],
    ['\\s+$', ''],
    ['[a-z]+@[a-z]+', ''],
    ['(?:a|ab|b)*c', ''],
    ['(?:a{0,64}){0,64}$', ''],
    ['(\\w+)\\s*\\1', ''],
    ['(?<!x)[a-z]+@', ''],
    ['.*(?=,.*x)', ''],
    ['^.*a.*b.*c$', ''],
    ['a.{0,200}b.{0,200}c.{0,200}d', ''],
    ['<title[^>]*>', 'i'],
    ['(?:x?y?z?){8,100}w', ''],
    ['\\bx\\w*\\s*\\w*;', ''],
  ];
  test.each(bad)('does not take /%s/%s', async (source, flags) => {
    expect(await provePattern(source, flags)).toHaveProperty('problem');
  });

  test('finds each literal, and no division', () => {
    const text =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a source.
      'const a = b / c / d; // /no/\nconst e = [/x{1,2}/g, `${/y/u.test(z) ? 1 / 2 : 3}`, "/s/"]; new RegExp(f); RegExp(g);';
    const { literals, made } = findPatterns(text);
    expect(literals).toEqual([
      { line: 2, source: 'x{1,2}', flags: 'g' },
      { line: 2, source: 'y', flags: 'u' },
    ]);
    expect(made).toEqual([2, 2]);
  });
});

type Known = Map<string, Proof>;

async function prove(source: string, flags: string, known: Known): Promise<Proof> {
  const key = `${flags}/${source}`;
  const proof = known.get(key) ?? (await provePattern(source, flags));
  // What recheck had no time for may be proven the next time.
  if (proof.proof !== undefined) known.set(key, proof);
  return proof;
}

function readCache(): Known {
  try {
    const { prover, proofs } = JSON.parse(readFileSync(CACHE, 'utf8')) as { prover: string; proofs: [string, Proof][] };
    return new Map(prover === PROVER ? proofs : []);
  } catch {
    return new Map();
  }
}

function writeCache(known: Known): void {
  mkdirSync(dirname(CACHE), { recursive: true });
  writeFileSync(CACHE, JSON.stringify({ prover: PROVER, proofs: [...known] }));
}
